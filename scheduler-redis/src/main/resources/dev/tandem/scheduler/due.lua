-- Takes what fell due, from retry and scheduled together in order of due time (retry first on a tie): at most 1,000
-- positions are looked at. First the lists of far-off ones are opened whose time comes, some 2,000 positions at most.
-- KEYS: the partition's. ARGV 1-4: the fence's (4 is ignored: tokens are counted here); 5: lease ms; 6: most claims;
--   7: most offers; 8: first token; 9: 1 if ordered by key.
-- Answers {0, claimed (position, token, lapses, envelope), offered (position, lapses, envelope), next due ms, 1 if more}.
-- @include keys
-- @include fence
-- @include now
-- @include lists
-- @include claim
-- @include envelope
-- @include blocked
-- @include next
-- @include later
-- @include apply
local LOOK = 1000
local lease, max_claims, max_offers = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local token, ordered = tonumber(ARGV[8]), ARGV[9] == '1'
local now_text = format('%.0f', now)
call('HDEL', OWNER, '') -- As apply, which comes last here.

-- Opening a list moves its positions to `scheduled`, unless the task has gone or went elsewhere.
local OPEN = 2000
local function open_list(minute)
  local last = call('HGET', LATER, minute)
  local list = call('HGET', LATER, minute .. ':' .. last)
  local hints, times, void = {}, {}, {}
  each_later(tonumber(minute), list, function(position, due)
    hints[#hints + 1] = position
    times[#times + 1] = format('%.0f', due)
    void[#void + 1] = 'x' .. position
  end)
  local is_void = hmget(LATER, void)
  local opened, counted = {}, #hints
  for i = 1, #hints do
    if is_void[i] then
      call('HDEL', LATER, void[i])
      counted = counted - (is_void[i] == '0' and 1 or 0)
    elseif call('HEXISTS', TASKS, hints[i]) == 1 then
      opened[#opened + 1] = times[i]
      opened[#opened + 1] = hints[i]
    end
  end
  call('HDEL', LATER, minute .. ':' .. last)
  call('HINCRBY', LATER, 'count', -counted)
  if last == '1' then
    call('HDEL', LATER, minute)
    call('ZREM', MINUTES, minute)
  else
    call('HSET', LATER, minute, format('%.0f', last - 1))
  end
  each_slice('ZADD', SCHEDULED, opened)
  return #hints
end
local opened = 0
while opened < OPEN do
  local first = call('ZRANGE', MINUTES, 0, 0, 'WITHSCORES')
  if not first[1] or first[2] - LEAD > now then
    break
  end
  opened = opened + open_list(first[1])
end

local retry = call('ZRANGEBYSCORE', RETRY, '-inf', now_text, 'WITHSCORES', 'LIMIT', 0, LOOK)
local scheduled = call('ZRANGEBYSCORE', SCHEDULED, '-inf', now_text, 'WITHSCORES', 'LIMIT', 0, LOOK)
local fallen, sets = {}, {}
local r, s = 1, 1
while #fallen < LOOK and (retry[r] or scheduled[s]) do
  local n = #fallen + 1
  if retry[r] and (not scheduled[s] or tonumber(retry[r + 1]) <= tonumber(scheduled[s + 1])) then
    fallen[n], sets[n] = retry[r], RETRY
    r = r + 2
  else
    fallen[n], sets[n] = scheduled[s], SCHEDULED
    s = s + 2
  end
end
local more = retry[r] ~= nil or scheduled[s] ~= nil or #retry == 2 * LOOK or #scheduled == 2 * LOOK

local lapses = hmget(ATTEMPTS, fallen)
local deadline = format('%.0f', now + lease)
local claimed, offered, claims, leases = {}, {}, {}, {}
local issued, room = 0, max_offers
for i = 1, #fallen do
  local position, set = fallen[i], sets[i]
  -- One by one: a batch of large envelopes must not be in memory twice when few of them fit.
  local envelope = call('HGET', TASKS, position)
  local key = envelope and ordered and envelope_key(envelope)
  local entry = key and call('HGET', BLOCKED, key)
  if not envelope then
    call('ZREM', set, position)
  elseif not key or entry and head_of(entry) == position then
    if issued == max_claims then
      more = true
    else
      call('ZREM', set, position)
      if key then
        block(key, 'H', position)
      end
      local n = #claims
      claims[n + 1], claims[n + 2] = position, claim_head() .. claim_tail(pack('>I8', token + issued), owner[3], key)
      leases[n + 1], leases[n + 2] = deadline, position
      n = #claimed
      claimed[n + 1], claimed[n + 2] = position, token + issued
      claimed[n + 3], claimed[n + 4] = tonumber(lapses[i] or '0'), envelope
      issued = issued + 1
    end
  elseif room == 0 then
    more = true
  else
    call('ZADD', set, deadline, position)
    local n = #offered
    offered[n + 1], offered[n + 2], offered[n + 3] = position, tonumber(lapses[i] or '0'), envelope
    room = room - 1
  end
end
each_slice('HSET', CLAIMS, claims)
each_slice('ZADD', INFLIGHT, leases)
apply(issued > 0 and format('%.0f', token + issued - 1) or '0')
return {0, claimed, offered, more and 0 or next_due(), more and 1 or 0}
