-- Takes due tasks out of `retry` and `scheduled` together, in order of due time (retry first on a tie). Tasks without
-- a key, heads of blocked keys, and the first task of each idle key are claimed. Others are offered: returned, and
-- hidden for a lease, or for a part of it without a key. Looks at up to MAX_DUE_TASKS tasks, and returns about
-- MAX_ANSWER_BYTES. First opens the packed lists of far-off tasks whose time comes.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1-4  request header, see include/fence; 4 is ignored, for this script counts tokens itself
-- ARGV 5    lease, ms
-- ARGV 6    most claims
-- ARGV 7    most offers
-- ARGV 8    first token
-- ARGV 9    1 if the queue is ordered by key
-- ARGV 10   most offers of tasks without a key
-- ARGV 11   MessagePack list of the keys that are not idle; '': no key is
-- Returns   {REPLY_OK, claimed (position, token, lapses, envelope, 1 if it heads its key), offered (position, lapses,
--           envelope), ms until the next task is due (-1: none), 1 if there is more}
-- @include partition_keys
-- @include fence
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include envelope
-- @include blocked_keys
-- @include dead_groups
-- @include next_times
-- @include far_schedule
-- @include apply_request
local lease, max_claims, max_offers = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local first_token, ordered, max_ahead = tonumber(ARGV[8]), ARGV[9] == '1', tonumber(ARGV[10])
local now_text, deadline = format('%.0f', now), format('%.0f', now + lease)
local soon = format('%.0f', now + math.max(1, floor(lease / AHEAD_SHARE)))
call('HDEL', OWNER, '') -- As in apply_request, which comes last here.

-- Moves the positions of a list to `scheduled`, unless their entry is void or their task has gone.
local function move_to_scheduled(minute, list)
  local positions, times, void_fields = {}, {}, {}
  each_far_task(tonumber(minute), list, function(position, due)
    positions[#positions + 1] = position
    times[#times + 1] = format('%.0f', due)
    void_fields[#void_fields + 1] = 'x' .. position
  end)
  local void = hmget(LATER, void_fields)
  local moved, counted = {}, #positions
  for i = 1, #positions do
    if void[i] then
      call('HDEL', LATER, void_fields[i])
      counted = counted - (void[i] == '0' and 1 or 0)
    elseif call('HEXISTS', TASKS, positions[i]) == 1 then
      moved[#moved + 1] = times[i]
      moved[#moved + 1] = positions[i]
    end
  end
  call('HINCRBY', LATER, 'count', -counted)
  each_slice('ZADD', SCHEDULED, moved)
  return #positions
end

-- Opens the last list of a minute. Returns how many entries it had.
local function open_list(minute)
  local last = call('HGET', LATER, minute)
  local size = move_to_scheduled(minute, call('HGET', LATER, minute .. ':' .. last))
  call('HDEL', LATER, minute .. ':' .. last)
  if last == '1' then
    call('HDEL', LATER, minute)
    call('ZREM', MINUTES, minute)
  else
    call('HSET', LATER, minute, format('%.0f', last - 1))
  end
  return size
end

local function open_lists()
  local opened = 0
  while opened < MAX_OPENED_FAR_TASKS do
    local first = call('ZRANGE', MINUTES, 0, 0, 'WITHSCORES')
    if not first[1] or first[2] - FAR_OPENS_EARLY_MILLIS > now then
      return
    end
    opened = opened + 1 + open_list(first[1]) -- Counts even an empty list.
  end
end

-- Returns the due positions in order, and the set that each is in.
local function due_positions()
  local retry = call('ZRANGEBYSCORE', RETRY, '-inf', now_text, 'WITHSCORES', 'LIMIT', 0, MAX_DUE_TASKS)
  -- Tasks that may not be offered must not hide the heads of blocked keys, which are in `retry`, nor those behind them.
  local most_scheduled = MAX_DUE_TASKS / 2
  if not ordered or max_offers > 0 then
    local most_offers = ordered and max_offers or math.min(max_offers, max_ahead)
    most_scheduled = math.min(max_claims + most_offers + MAX_SKIPPED_UNKEYED, MAX_DUE_TASKS)
  end
  local scheduled = call('ZRANGEBYSCORE', SCHEDULED, '-inf', now_text, 'WITHSCORES', 'LIMIT', 0, most_scheduled)
  local positions, sets = {}, {}
  local r, s = 1, 1
  while #positions < MAX_DUE_TASKS and (retry[r] or scheduled[s]) do
    local n = #positions + 1
    if retry[r] and (not scheduled[s] or tonumber(retry[r + 1]) <= tonumber(scheduled[s + 1])) then
      positions[n], sets[n] = retry[r], RETRY
      r = r + 2
    else
      positions[n], sets[n] = scheduled[s], SCHEDULED
      s = s + 2
    end
  end
  return positions, sets
end

local function is_any_due(set)
  local first = call('ZRANGE', set, 0, 0, 'WITHSCORES')[2]
  return first and tonumber(first) <= now
end

local claimed, offered, new_claims = {}, {}, {}
local left = {[RETRY] = {}, [SCHEDULED] = {}} -- positions that leave each set
local hidden = {[RETRY] = {}, [SCHEDULED] = {}} -- new due times in each set, and positions
local issued, room = 0, max_offers

-- Keys of which nothing may be claimed but the head, as a set; nil if that is all keys.
local busy = ARGV[11] ~= '' and {} or nil
if busy then
  for _, key in ipairs(cmsgpack.unpack(ARGV[11])) do
    busy[key] = true
  end
end

-- Returns whether this is the key's first task here, and the owner has none of it. Notes the key: its next task is not.
local function take_first_of_idle(key)
  local first = busy and not busy[key]
  if first then
    busy[key] = true
  end
  return first
end

local function claim(position, set, key, head, lapses, envelope)
  if head then
    block(key, BLOCKED_BY_HEAD, position)
  end
  left[set][#left[set] + 1] = position
  local token = first_token + issued
  local n = #new_claims
  new_claims[n + 1] = position
  new_claims[n + 2] = claim_head() .. claim_tail(pack('>I8', token), COVERED_NAME, key)
  n = #claimed
  claimed[n + 1], claimed[n + 2], claimed[n + 3], claimed[n + 4] = position, token, lapses, envelope
  claimed[n + 5] = head and 1 or 0
  issued = issued + 1
end

local function offer(position, set, key, lapses, envelope)
  local list = hidden[set]
  local n = #list
  list[n + 1], list[n + 2] = key and deadline or soon, position
  n = #offered
  offered[n + 1], offered[n + 2], offered[n + 3] = position, lapses, envelope
  room = room - 1
  max_ahead = max_ahead - (key and 0 or 1)
end

open_lists()
local positions, sets = due_positions()
local lapses = call('EXISTS', ATTEMPTS) == 1 and hmget(ATTEMPTS, positions) or {}
local any_blocked = ordered and call('EXISTS', BLOCKED) == 1
local bytes, skipped_bytes, skipped_unkeyed = 0, 0, 0
local envelopes, read = {}, 0
for i = 1, #positions do
  local nothing_fits = issued == max_claims and (room == 0 or not ordered and max_ahead == 0)
  if nothing_fits or bytes >= MAX_ANSWER_BYTES or skipped_unkeyed == MAX_SKIPPED_UNKEYED then
    break
  end
  local position, set = positions[i], sets[i]
  local envelope
  if set == SCHEDULED and skipped_bytes >= MAX_ANSWER_BYTES then
    -- What its key is remains unknown, so no later task is known to be the first of its own.
    busy = nil
  else
    if i > read then
      -- Few at a time: a batch of large envelopes must not be in memory twice when few of them fit.
      read = math.min(#positions, i + DUE_SLICE - 1)
      envelopes = hmget(TASKS, {unpack(positions, i, read)})
    end
    envelope = envelopes[#envelopes - read + i]
    if not envelope then
      left[set][#left[set] + 1] = position
    end
  end
  if envelope then
    local key = ordered and envelope_key(envelope)
    local entry = key and any_blocked and call('HGET', BLOCKED, key)
    local head = entry and head_of(entry) == position
    local first = key and take_first_of_idle(key)
    local lapsed = tonumber(lapses[i] or '0')
    if issued < max_claims and (not key or head or first and not entry) then
      bytes = bytes + #envelope
      claim(position, set, key, head, lapsed, envelope)
    elseif head or room == 0 or not key and max_ahead == 0 then
      skipped_bytes = skipped_bytes + #envelope
      skipped_unkeyed = skipped_unkeyed + (key and 0 or 1)
    else
      bytes = bytes + #envelope
      offer(position, set, key, lapsed, envelope)
    end
  end
end
each_slice('ZREM', RETRY, left[RETRY])
each_slice('ZREM', SCHEDULED, left[SCHEDULED])
each_slice('ZADD', RETRY, hidden[RETRY])
each_slice('ZADD', SCHEDULED, hidden[SCHEDULED])
each_slice('HSET', CLAIMS, new_claims)
groups.write()
apply_request(issued > 0 and format('%.0f', first_token + issued - 1) or '0', 'covered', deadline)
local more = is_any_due(RETRY) or is_any_due(SCHEDULED)
return {REPLY_OK, claimed, offered, more and 0 or next_due(), more and 1 or 0}
