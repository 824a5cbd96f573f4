-- Makes an operator's change of one task, or of many: no epoch, no number. The owner is woken if a task has changed.
--
-- KEYS 1-29  the partition's, see include/partition_keys
-- KEYS 30    hash: operation -> what it has done in this partition, see ARGV 7
-- KEYS 31    the list `events`, if the queue has events
-- ARGV 1     channel that wakes the owner
-- ARGV 2     the change: 'retry', 'delete', 'skip', 'reschedule', 'edit', or 'none' (only the record is written)
-- ARGV 3     delete: DELETE_...; reschedule: when the tasks are due, ms; else ''
-- ARGV 4, 5  delete: page of what is kept of the tasks that are cancelled, see include/success_pages ('': nothing); its hashes
-- ARGV 6     the operation that asks; '': none
-- ARGV 7     its record as it was seen ('': there is none): when it was written, ms; numbers of tasks that were looked at, that
--            matched, that changed and that were refused; the latest due time that was given, ms; and a place, all separated by
--            blanks
-- ARGV 8-10  tasks that were looked at so far, that matched so far, and the place for the new record
-- ARGV 11    the policy of the queue's events, see include/event_pages; '': it has none
-- ARGV 12-   five for each task: position; envelope as it was seen ('': whatever it is); envelope that it gets ('': the same),
--            for delete CHANGE_MADE if the executor that runs it has cancelled it, so that it is only counted;
--            the member of `lanes` if it was seen parked, or where a search goes on, as the reply said ('': at the front); when
--            it was due by its envelope, ms
-- Returns    {CHANGE_STALE} if the operation has another record by now: then nothing is changed. Else {CHANGE_DONE, new record,
--            then for each task: CHANGE_DONE, CHANGE_NOT_FOUND (also if it changed since it was seen), CHANGE_ACTIVE,
--            CHANGE_OTHER_STATE: the change may not take a task in this state, CHANGE_HALTS_KEY: nor one that halts its key, or
--            CHANGE_NOT_HALTED: it is dead, but halts no key, CHANGE_UNFINISHED: it is not found yet; and where that search goes on, else ''}
--
-- retry       a dead task that was seen goes back, due now; a waiting one is due now, unless it is parked. Tasks of one key that
--             are retried by one call, or by one operation, become due in their order
-- delete      a dead task goes for good; a scheduled, retried or parked one is cancelled
-- skip        the dead head of a halted key is given up, and its lane goes on. Its error says so, as of administer
-- reschedule  a scheduled or retried task is due at another time. One that is parked may not overtake its head
-- edit        a waiting or dead task gets the other envelope, and stays where it is. One that its owner may have been given
--             already is CHANGE_ACTIVE: the owner would run what it was given
-- @include partition_keys
-- @include clock
local owner = call('HMGET', OWNER, 'epoch', 'token', 'executor', 'incarnation', 'highwater', 'mirror')
-- @include batched_commands
-- @include claim_record
-- @include envelope
-- @include untold_ends
-- @include envelope_errors
-- @include given_up
-- @include lanes
-- @include blocked_keys
-- @include dead_groups
-- @include settled_bits
-- @include note_keys
-- @include success_keys
-- @include success_pages
-- @include event_drops
-- @include event_pages
-- @include event_records
-- @include settlement_state
-- @include lane_heads
-- @include far_schedule
-- @include member_order
local OPERATIONS = KEYS[30]
local change, operation, seen_record = ARGV[2], ARGV[6], ARGV[7]
events.policy = ARGV[11]
if operation ~= '' and (call('HGET', OPERATIONS, operation) or '') ~= seen_record then
  return {CHANGE_STALE}
end
if change ~= 'edit' then -- which may need more memory
  call('HDEL', OWNER, '') -- After a removal, Redis lets an operator make room even when memory is full.
end
local changed_before, refused_before, latest_due = string.match(seen_record, '^%d+ %d+ %d+ (%d+) (%d+) (%d+) ')
changed_before, refused_before = tonumber(changed_before or '0'), tonumber(refused_before or '0')
latest_due = tonumber(latest_due or '0')

local opened, cancelled, kept_away = {}, 0, {} -- keys; how many; positions whose ends are not recorded
local first_due = math.max(now, latest_due + 1)
local last_of_key = {} -- key -> {position, when it is due} of its last task that was retried

-- Returns when a retried task is due: now, but behind the tasks of its key that were retried before.
local function due_after_others(key, position)
  local last, at = key and last_of_key[key], first_due
  if last then
    at = last[2] + (precedes(last[1], position) and 0 or 1)
  end
  if key then
    last_of_key[key] = {position, at}
  end
  latest_due = math.max(latest_due, at)
  return format('%.0f', at)
end

-- Returns the member of a waiting position in its key's lane; or nil, and where the search goes on, nil at its end.
-- place: the member, as it was seen, or where a search goes on.
local function find_parked(position, key, place)
  if not key or not any_blocked or call('HEXISTS', BLOCKED, key) == 0 then
    return nil
  elseif sub(place, #lane_prefix(key) + 9) == position then
    if call('ZSCORE', LANES, place) then
      return place
    end
    place = '' -- It has another place in the lane by now, if it is still there.
  end
  return search_lane(key, position, place, SEARCHED_SLICES)
end

-- A task that is neither due nor parked is far off. After several calls it may just have gone elsewhere.
local function leave_far_list(position, place)
  if place == '' then
    void_counted_entry(position)
  else
    void_entry(position)
  end
end

local function retry_dead(position, seen, envelope)
  if call('HGET', DEAD_TASKS, position) ~= seen then
    return CHANGE_NOT_FOUND
  end
  local key = envelope_key(seen)
  call('ZREM', DEAD, position)
  call('HDEL', DEAD_TASKS, position)
  call('HSET', TASKS, position, envelope)
  call('ZADD', RETRY, due_after_others(key, position), position)
  if is_head(key, position) then
    block(key, BLOCKED_BY_HEAD, position)
    call('HDEL', OWNER, DRAIN_FIELD .. key)
  end
  groups.leave({position})
  opened[#opened + 1] = key or nil
  call('HINCRBY', STATS, 'replayed', 1)
  return CHANGE_DONE
end

local function retry(position, seen, envelope, place)
  if envelope ~= '' then
    return retry_dead(position, seen, envelope)
  elseif call('HEXISTS', CLAIMS, position) == 1 then
    return CHANGE_ACTIVE
  end
  local stored = call('HGET', TASKS, position)
  if not stored or seen ~= '' and stored ~= seen then
    return CHANGE_NOT_FOUND
  end
  local key = envelope_key(stored)
  if call('ZSCORE', RETRY, position) then
    call('ZADD', RETRY, due_after_others(key, position), position)
    return CHANGE_DONE
  elseif not call('ZSCORE', SCHEDULED, position) then
    local parked, search_on = find_parked(position, key, place)
    if parked then
      return CHANGE_NOT_FOUND -- A parked task cannot overtake its head.
    elseif search_on then
      return CHANGE_UNFINISHED, search_on
    end
    leave_far_list(position, place)
  end
  call('ZADD', SCHEDULED, due_after_others(key, position), position)
  return CHANGE_DONE
end

-- The entry of a far-off task becomes void, and the task waits in `scheduled` from now on, whenever it is due: one void mark
-- cannot tell two entries apart.
local function reschedule(position, seen, envelope, place, due_before)
  if call('HEXISTS', CLAIMS, position) == 1 then
    return CHANGE_ACTIVE
  elseif call('HGET', TASKS, position) ~= seen then
    return CHANGE_NOT_FOUND
  end
  local key, due = envelope_key(seen), tonumber(ARGV[3])
  local set = call('ZSCORE', RETRY, position) and RETRY or SCHEDULED
  if call('ZSCORE', SCHEDULED, position) then
    if due_before <= now then
      return CHANGE_ACTIVE -- It may be offered already: then its owner starts it, whatever is said here.
    end
  elseif set == SCHEDULED then
    local parked, search_on = find_parked(position, key, place)
    if parked then
      return CHANGE_OTHER_STATE
    elseif search_on then
      return CHANGE_UNFINISHED, search_on
    end
    leave_far_list(position, place)
  end
  if set == SCHEDULED then
    call('HSET', TASKS, position, envelope)
  end
  call('ZADD', set, due > now and format('%.0f', due) or due_after_others(key, position), position)
  return CHANGE_DONE
end

-- Whether the owner may have been given a waiting task. An offer is due again when it ends, by then at the latest up to which
-- the owner's claims are covered. The head of a key is never offered, but the owner reads lines whenever it likes.
local function may_be_given(position, envelope)
  local due = tonumber(call('ZSCORE', RETRY, position) or call('ZSCORE', SCHEDULED, position) or '-1')
  return due >= FIRST_PLACE
    or due >= 0 and due <= math.max(now, tonumber(call('HGET', OWNER, 'covered') or '0'))
      and not is_head(envelope_key(envelope), position)
end

local function edit(position, seen, envelope)
  if call('HEXISTS', CLAIMS, position) == 1 then
    return CHANGE_ACTIVE
  elseif call('HGET', TASKS, position) == seen then
    if may_be_given(position, seen) then
      return CHANGE_ACTIVE
    end
    call('HSET', TASKS, position, envelope)
    return CHANGE_DONE
  elseif call('HGET', DEAD_TASKS, position) == seen then
    call('HSET', DEAD_TASKS, position, envelope)
    return CHANGE_DONE
  end
  return CHANGE_NOT_FOUND
end

-- Removes a waiting task from where it waits: to be due, in its lane, or far off. Returns where its search goes on, nil
-- once it is removed.
local function remove_waiting(position, key, place)
  if call('ZREM', SCHEDULED, position) + call('ZREM', RETRY, position) == 0 then
    local member, search_on = find_parked(position, key, place)
    if member then
      call('ZREM', LANES, member)
    elseif search_on then
      return search_on
    else
      leave_far_list(position, place)
    end
  end
  call('HDEL', TASKS, position)
  return nil
end

local function delete(position, seen, place)
  local which = ARGV[3]
  if call('HEXISTS', CLAIMS, position) == 1 then
    return CHANGE_ACTIVE
  end
  local waiting = call('HGET', TASKS, position)
  local envelope = waiting or call('HGET', DEAD_TASKS, position)
  if not envelope or seen ~= '' and envelope ~= seen then
    return CHANGE_NOT_FOUND
  end
  if which ~= DELETE_ANY and (which == DELETE_WAITING) ~= (envelope == waiting) then
    return CHANGE_OTHER_STATE
  end
  local key = envelope_key(envelope)
  if which == DELETE_NOT_HALTING and is_head(key, position) then
    return CHANGE_HALTS_KEY
  elseif waiting then
    local search_on = remove_waiting(position, key, place)
    if search_on then
      return CHANGE_UNFINISHED, search_on
    end
    note_untold_end(position, waiting, FAN_OUT_CANCELLED)
    events.note(position, waiting, EVENT_CANCELLED)
    cancelled = cancelled + 1
  else
    call('ZREM', DEAD, position)
    call('HDEL', DEAD_TASKS, position)
  end
  kept_away[position] = nil
  forget_notes({position})
  if is_head(key, position) then
    advance_lane(key)
    call('HDEL', OWNER, DRAIN_FIELD .. key)
  end
  if not waiting then
    groups.leave({position})
  end
  opened[#opened + 1] = key or nil
  return CHANGE_DONE
end

local function skip(position, seen)
  local dead = call('HGET', DEAD_TASKS, position)
  if not dead or seen ~= '' and dead ~= seen then
    return CHANGE_NOT_FOUND
  end
  local key = envelope_key(dead)
  if not is_head(key, position) then
    return CHANGE_NOT_HALTED
  end
  call('HSET', DEAD_TASKS, position, given_up(dead, 'skipped', false))
  call('HDEL', ATTEMPTS, position)
  call('HDEL', OWNER, DRAIN_FIELD .. key)
  advance_lane(key)
  opened[#opened + 1] = key
  return CHANGE_DONE
end

local function make_change(position, seen, envelope, place, due_before)
  if change == 'retry' then
    return retry(position, seen, envelope, place)
  elseif change == 'delete' then
    kept_away[position] = true
    if envelope == CHANGE_MADE then
      return CHANGE_DONE
    end
    return delete(position, seen, place)
  elseif change == 'edit' then
    return edit(position, seen, envelope)
  elseif change == 'skip' then
    return skip(position, seen)
  end
  return reschedule(position, seen, envelope, place, due_before)
end

-- Keeps the records of operations few. Those that are open write theirs often.
local function forget_oldest_records()
  if call('HLEN', OPERATIONS) < MAX_OPERATION_RECORDS then
    return
  end
  local records, written = call('HGETALL', OPERATIONS), {}
  for i = 1, #records, 2 do
    written[#written + 1] = {tonumber(string.match(records[i + 1], '^%d+') or '0'), records[i]}
  end
  table.sort(written, function(one, other)
    return one[1] < other[1]
  end)
  for i = 1, MAX_OPERATION_RECORDS / 2 do
    call('HDEL', OPERATIONS, written[i][2])
  end
end

local reply, changed, refused = {CHANGE_DONE, ''}, 0, 0
for i = 12, #ARGV, 5 do
  local result, search_on = make_change(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], tonumber(ARGV[i + 4]))
  if result == CHANGE_DONE then
    changed = changed + 1
  else
    refused = refused + 1
  end
  reply[#reply + 1] = result
  reply[#reply + 1] = search_on or ''
end
groups.write()
if changed > 0 then
  each_slice('SADD', OPENED, opened)
  if cancelled > 0 then
    call('HINCRBY', STATS, 'cancelled', cancelled)
    append_successes(ARGV[4], ARGV[5], kept_away)
    events.append(nil, {})
  end
  call('PUBLISH', ARGV[1], change)
end
if operation ~= '' then
  if seen_record == '' then
    forget_oldest_records()
  end
  reply[2] = now_text .. ' ' .. ARGV[8] .. ' ' .. ARGV[9] .. ' ' .. format('%.0f', changed_before + changed) .. ' '
    .. format('%.0f', refused_before + refused) .. ' ' .. format('%.0f', latest_due) .. ' ' .. ARGV[10]
  call('HSET', OPERATIONS, operation, reply[2])
  call('PEXPIRE', OPERATIONS, OPERATION_KEPT_MILLIS)
end
return reply
