-- Requests with a key of their caller. docs/redis-keys.md says what the keys hold.
-- Requires: nothing.
-- Provides: ENTRIES, ENDS, call, now (ms), count_request, forget_request, forget_ended_requests and keep_requests.
--
-- KEYS 1  entries  hash: id -> 'U', a space and the run, while it is under way; 'D', a space and the answer, when it is done.
--                  '#bytes' has the bytes of all, '#' and a caller the number of the caller's, '#bytes/' and a caller their bytes
-- KEYS 2  ends     sorted set: id -> when it is forgotten, ms
local ENTRIES, ENDS = KEYS[1], KEYS[2]
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Changes the counts: of the caller's entries by number, and the bytes of all and of the caller's.
local function count_request(caller, number, bytes)
  call('HINCRBY', ENTRIES, '#bytes', bytes)
  call('HINCRBY', ENTRIES, '#bytes/' .. caller, bytes)
  if number ~= 0 and call('HINCRBY', ENTRIES, '#' .. caller, number) <= 0 then
    call('HDEL', ENTRIES, '#' .. caller, '#bytes/' .. caller)
  end
end

local function forget_request(id)
  local value = call('HGET', ENTRIES, id)
  call('ZREM', ENDS, id)
  if value then
    call('HDEL', ENTRIES, id)
    count_request(string.match(id, '^[^/]*'), -1, -#value)
  end
end

-- Forgets entries that have ended, some at a time. Returns how many.
local function forget_ended_requests(most)
  local ended = call('ZRANGEBYSCORE', ENDS, '-inf', now, 'LIMIT', 0, most)
  for _, id in ipairs(ended) do
    forget_request(id)
  end
  return #ended
end

-- Lets the keys stay for some time behind the end of the last entry: to forget very many at once would hold up Redis.
local function keep_requests(millis)
  for i = 1, 2 do
    if call('PTTL', KEYS[i]) < millis + KEPT_REQUESTS_GRACE then
      call('PEXPIRE', KEYS[i], millis + KEPT_REQUESTS_GRACE)
    end
  end
end
