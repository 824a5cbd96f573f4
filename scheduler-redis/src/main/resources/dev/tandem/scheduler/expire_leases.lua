-- Ends claims whose lease ran out, and counts the lapse. A task in the store is due now. For one that the broker has,
-- the key waits for the redelivery. If the key has another head, the task goes before all that waits behind that
-- head, for it had begun. Or, instead: moves all deadlines on.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1-4  request header, see include/fence
-- ARGV 5    most claims to end
-- ARGV 6    ms by which all deadlines move on instead; 0: not at all
-- ARGV 7    1 if the queue is ordered by key
-- Returns   {REPLY_OK, count of ended claims, keys that wait now (key, position), ms until the next task is due
--           (-1: none), ms until the next lease runs out (-1: none)}
-- @include partition_keys
-- @include fence
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include covered_claims
-- @include lanes
-- @include blocked_keys
-- @include dead_groups
-- @include next_times
-- @include apply_request
local limit, extend_millis, ordered = ARGV[5], tonumber(ARGV[6]), ARGV[7] == '1'
local quiet_until = tonumber(owner[OWNER_QUIET_UNTIL])
local returned, waiting, overtaken = 0, {}, {}

local function extend_deadlines()
  local lease, covered = tonumber(call('HGET', OWNER, 'lease')), tonumber(cover[2])
  if lease > 0 then
    call('HSET', OWNER, 'lease', format('%.0f', lease + extend_millis))
  end
  if covered > 0 then
    call('HSET', OWNER, 'covered', format('%.0f', covered + extend_millis))
  end
  local all = call('ZRANGEBYSCORE', INFLIGHT, '-inf', '(inf', 'WITHSCORES')
  local leases = {}
  for i = 1, #all, 2 do
    leases[i], leases[i + 1] = format('%.0f', all[i + 1] + extend_millis), all[i]
  end
  each_slice('ZADD', INFLIGHT, leases)
end

-- Finds the place of a task whose claim has ended.
local function return_task(position, claim, key)
  local entry = key and call('HGET', BLOCKED, key)
  local in_store = call('HEXISTS', TASKS, position) == 1
  if entry and head_of(entry) ~= position then
    if in_store then
      overtaken[#overtaken + 1] = {number_of(token_of(claim)), key, position}
    end
  elseif in_store then
    call('ZADD', RETRY, format('%.0f', now), position)
    if key then
      block(key, BLOCKED_BY_HEAD, position)
    end
  elseif key then
    block(key, BLOCKED_BY_REDELIVERY, position)
    waiting[#waiting + 1] = key
    waiting[#waiting + 1] = position
  end
end

-- Covered claims that nobody has renewed for a lease get deadlines of their own, which have passed.
local function uncover_lapsed()
  if cover[2] == '0' or tonumber(cover[2]) > now then
    return
  end
  local all, positions, claims = call('HGETALL', CLAIMS), {}, {}
  for i = 1, #all, 2 do
    if all[i] ~= '' and is_covered(all[i + 1]) then
      positions[#positions + 1] = all[i]
      claims[#positions] = all[i + 1]
    end
  end
  uncover(positions, claims, cover[2])
end

local function expire()
  uncover_lapsed()
  local lapsed = call('ZRANGEBYSCORE', INFLIGHT, '-inf', format('%.0f', now), 'LIMIT', 0, limit)
  for _, position in ipairs(lapsed) do
    local claim = call('HGET', CLAIMS, position)
    call('ZREM', INFLIGHT, position)
    -- Scripts never write a lease without its claim, but somebody may have removed the claim by hand.
    if claim then
      call('HDEL', CLAIMS, position)
      call('HINCRBY', ATTEMPTS, position, 1)
      returned = returned + 1
      return_task(position, claim, ordered and key_of(claim))
    end
  end
  -- To the front of their lanes, the latest first, so that the earliest token is first in the end.
  table.sort(overtaken, function(a, b) return a[1] > b[1] end)
  for _, each in ipairs(overtaken) do
    call('ZADD', LANES, '0', lane_member(each[2], front_number(), each[3]))
  end
  if returned > 0 then
    call('HINCRBY', STATS, 'lapsed', returned)
  end
end

apply_request('0')
if extend_millis > 0 then
  extend_deadlines()
elseif now >= quiet_until then
  expire()
end
groups.write()
return {REPLY_OK, returned, waiting, next_due(), next_lapse(quiet_until)}
