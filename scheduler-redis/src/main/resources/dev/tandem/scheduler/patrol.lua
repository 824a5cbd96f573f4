-- Moves claims whose lease ran out: to due now where the store has the task, else to attempts, and the key waits for a
-- redelivery.
-- KEYS: the partition's. ARGV 1-4: the fence's; 5: limit; 6: ms by which all deadlines move on first, 0: none; 7: 1 if
--   ordered by key.
-- Answers {0, returned, waiting (key, position), next due ms, next lapse ms}.
-- @include keys
-- @include fence
-- @include now
-- @include lists
-- @include claim
-- @include blocked
-- @include next
-- @include apply
local extend, quiet, ordered = tonumber(ARGV[6]), tonumber(owner[7]), ARGV[7] == '1'
local returned, waiting = 0, {}
apply('0')
if extend > 0 then
  local lease = tonumber(call('HGET', OWNER, 'lease'))
  if lease > 0 then
    call('HSET', OWNER, 'lease', format('%.0f', lease + extend))
  end
  local all = call('ZRANGEBYSCORE', INFLIGHT, '-inf', '(inf', 'WITHSCORES')
  local leases = {}
  for i = 1, #all, 2 do
    leases[i], leases[i + 1] = format('%.0f', all[i + 1] + extend), all[i]
  end
  each_slice('ZADD', INFLIGHT, leases)
elseif now >= quiet then
  local lapsed = call('ZRANGEBYSCORE', INFLIGHT, '-inf', format('%.0f', now), 'LIMIT', 0, ARGV[5])
  for _, position in ipairs(lapsed) do
    local claim = call('HGET', CLAIMS, position)
    local key = claim and ordered and key_of(claim)
    call('ZREM', INFLIGHT, position)
    if claim then
      call('HDEL', CLAIMS, position)
      call('HINCRBY', ATTEMPTS, position, 1)
      returned = returned + 1
    end
    if not claim then
      -- A lease of nothing: never written, but an operator's hand may have been here.
    elseif call('HEXISTS', TASKS, position) == 1 then
      call('ZADD', RETRY, format('%.0f', now), position)
      if key then
        block(key, 'H', position)
      end
    elseif key then
      block(key, 'R', position)
      waiting[#waiting + 1] = key
      waiting[#waiting + 1] = position
    end
  end
  if returned > 0 then
    call('HINCRBY', STATS, 'lapsed', returned)
  end
end
return {0, returned, waiting, next_due(), next_lapse(quiet)}
