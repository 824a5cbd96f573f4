-- Moves claims whose lease ran out: to due now where the store has the task, else to attempts, and the key waits for a
-- redelivery. One whose key has another head goes before all that waits for that: it had begun.
-- KEYS: the partition's. ARGV 1-4: the fence's; 5: limit; 6: ms by which all deadlines move on first, 0: none; 7: 1 if
--   ordered by key.
-- Answers {0, returned, waiting (key, position), next due ms, next lapse ms}.
-- @include keys
-- @include fence
-- @include now
-- @include lists
-- @include claim
-- @include lanes
-- @include blocked
-- @include next
-- @include apply
local extend, quiet, ordered = tonumber(ARGV[6]), tonumber(owner[7]), ARGV[7] == '1'
local returned, waiting, overtaken = 0, {}, {}
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
    local entry = key and call('HGET', BLOCKED, key)
    local held = claim and call('HEXISTS', TASKS, position) == 1
    if not claim then
      -- A lease of nothing: never written, but an operator's hand may have been here.
    elseif entry and head_of(entry) ~= position then
      if held then
        overtaken[#overtaken + 1] = {number_of(token_of(claim)), key, position}
      end
    elseif held then
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
  table.sort(overtaken, function(a, b) return a[1] > b[1] end)
  for _, each in ipairs(overtaken) do
    call('ZADD', LANES, '0', lane_member(each[2], front_number(), each[3]))
  end
  if returned > 0 then
    call('HINCRBY', STATS, 'lapsed', returned)
  end
end
return {0, returned, waiting, next_due(), next_lapse(quiet)}
