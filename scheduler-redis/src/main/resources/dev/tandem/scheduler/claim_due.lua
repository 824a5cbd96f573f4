-- Takes due tasks out of `retry` and `scheduled` together, in order of due time (retry first on a tie). Tasks without
-- a key and heads of blocked keys are claimed. Others are offered: returned, and hidden for a lease. Looks at up to
-- MAX_DUE_TASKS tasks, and returns about MAX_ANSWER_BYTES. First opens the packed lists of far-off tasks whose time
-- comes.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1-4  request header, see include/fence; 4 is ignored, for this script counts tokens itself
-- ARGV 5    lease, ms
-- ARGV 6    most claims
-- ARGV 7    most offers
-- ARGV 8    first token
-- ARGV 9    1 if the queue is ordered by key
-- Returns   {REPLY_OK, claimed (position, token, lapses, envelope), offered (position, lapses, envelope), ms until the
--           next task is due (-1: none), 1 if there is more}
-- @include partition_keys
-- @include fence
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include envelope
-- @include blocked_keys
-- @include next_times
-- @include far_schedule
-- @include apply_request
local lease, max_claims, max_offers = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local first_token, ordered = tonumber(ARGV[8]), ARGV[9] == '1'
local now_text, deadline = format('%.0f', now), format('%.0f', now + lease)
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

-- Returns the due positions in order, the set that each is in, and whether there are more.
local function due_positions()
  local retry = call('ZRANGEBYSCORE', RETRY, '-inf', now_text, 'WITHSCORES', 'LIMIT', 0, MAX_DUE_TASKS)
  -- Tasks that may not be offered must not hide the heads of blocked keys, which are in `retry`.
  local most_scheduled = max_offers > 0 and MAX_DUE_TASKS or MAX_DUE_TASKS / 2
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
  local more = retry[r] ~= nil or scheduled[s] ~= nil
    or #retry == 2 * MAX_DUE_TASKS or #scheduled == 2 * most_scheduled
  return positions, sets, more
end

local claimed, offered, new_claims = {}, {}, {}
local issued, room = 0, max_offers

local function claim(position, key, lapses, envelope)
  if key then
    block(key, BLOCKED_BY_HEAD, position)
  end
  local token = first_token + issued
  local n = #new_claims
  new_claims[n + 1] = position
  new_claims[n + 2] = claim_head() .. claim_tail(pack('>I8', token), COVERED_NAME, key)
  n = #claimed
  claimed[n + 1], claimed[n + 2], claimed[n + 3], claimed[n + 4] = position, token, lapses, envelope
  issued = issued + 1
end

local function offer(position, lapses, envelope)
  local n = #offered
  offered[n + 1], offered[n + 2], offered[n + 3] = position, lapses, envelope
  room = room - 1
end

open_lists()
local positions, sets, more = due_positions()
local lapses = hmget(ATTEMPTS, positions)
local bytes, skipped_bytes = 0, 0
for i = 1, #positions do
  if bytes >= MAX_ANSWER_BYTES then
    more = true
    break
  end
  local position, set = positions[i], sets[i]
  local hidden = set == SCHEDULED and skipped_bytes >= MAX_ANSWER_BYTES
  -- One by one: a batch of large envelopes must not be in memory twice when few of them fit.
  local envelope = not hidden and call('HGET', TASKS, position)
  local key = envelope and ordered and envelope_key(envelope)
  local entry = key and call('HGET', BLOCKED, key)
  if hidden then
    more = true
  elseif not envelope then
    call('ZREM', set, position)
  elseif not key or entry and head_of(entry) == position then
    if issued == max_claims then
      more = true
    else
      call('ZREM', set, position)
      bytes = bytes + #envelope
      claim(position, key, tonumber(lapses[i] or '0'), envelope)
    end
  elseif room == 0 then
    skipped_bytes = skipped_bytes + #envelope
    more = true
  else
    bytes = bytes + #envelope
    call('ZADD', set, deadline, position)
    offer(position, tonumber(lapses[i] or '0'), envelope)
  end
end
each_slice('HSET', CLAIMS, new_claims)
apply_request(issued > 0 and format('%.0f', first_token + issued - 1) or '0', 'covered', deadline)
return {REPLY_OK, claimed, offered, more and 0 or next_due(), more and 1 or 0}
