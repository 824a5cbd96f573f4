-- Makes an operator's change: no epoch, no number. The owner is woken.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    channel that wakes the owner
-- ARGV 2    the change: 'retry', 'delete', 'reschedule', 'skip' or 'drain'
-- ARGV 3    retry, delete, reschedule: position; skip, drain: key
-- ARGV 4    retry: envelope of the dead task as it was seen; reschedule: envelope of the task as it was seen; skip, drain: head of the key as it was seen; else ''
-- ARGV 5    retry: envelope that the dead task runs with; reschedule: envelope with the new time; delete: DELETE_...; skip, drain: CHANGE_FORCED, or '' if only a halted
--           key may be changed
-- ARGV 6    where to go on, as the reply to the same change said; '': this is the first call; GO_ON_NOTED: go on with a
--           drain that a dead task began, and that `owner` notes
-- ARGV 7    delete: page of what is kept of a task that is cancelled, see include/success_pages, '': nothing; reschedule: when
--           the task is due, ms
-- ARGV 8    delete: hashes of that page; reschedule: when the task was due by its envelope, ms
-- Returns   {CHANGE_DONE}, {CHANGE_NOT_FOUND} (also if it changed since it was seen), {CHANGE_ACTIVE},
--           {CHANGE_OTHER_STATE}: the change may not take a task in this state, {CHANGE_HALTS_KEY}: nor one that halts
--           its key, {CHANGE_NOT_HALTED}: the key's head is alive, or
--           {CHANGE_UNFINISHED, where to go on}: the change is too large for one call
--
-- retry   a dead task that was seen goes back, due now; a scheduled or retried one is due now
-- delete  a dead task goes for good; a scheduled, retried or parked one is cancelled
-- reschedule  a scheduled or retried task is due at another time. One that is parked may not overtake its head
-- skip    a key's head is given up (a waiting one dies), and the lane goes on. The error of the head says so
-- drain   as skip, but everything in the lane dies first, in order; a head that died meanwhile halts the key. If the
--         head is retried, skipped or deleted between two calls, that stays as it is, and the drain ends. It ends too if
--         the head has run since, and halts the key anew: nobody has looked at that death
-- @include partition_keys
-- @include clock
local owner = call('HMGET', OWNER, 'epoch', 'token', 'executor', 'incarnation', 'highwater', 'mirror')
-- @include batched_commands
-- @include claim_record
-- @include envelope
-- @include dedup_ends
-- @include envelope_errors
-- @include lanes
-- @include blocked_keys
-- @include settled_bits
-- @include id_index
-- @include redelivery_marks
-- @include note_keys
-- @include success_keys
-- @include success_pages
-- @include settlement_state
-- @include settle_outcome
-- @include far_schedule
local wake_channel, change, go_on = ARGV[1], ARGV[2], ARGV[6]
call('HDEL', OWNER, '') -- After a removal, Redis lets an operator make room even when memory is full.

-- Ends a change. key: it may have gone on, nil: none did; total: name of the total that counts the change, nil: none.
local function done(key, total)
  if key then
    call('SADD', OPENED, key)
  end
  if total then
    call('HINCRBY', STATS, total, 1)
  end
  call('PUBLISH', wake_channel, change)
  return {CHANGE_DONE}
end

-- Returns the member of a waiting position in its key's lane; or nil, and where the search goes on, nil at its end.
local function find_parked(position, key)
  if not key or not any_blocked or call('HEXISTS', BLOCKED, key) == 0 then
    return nil
  end
  return search_lane(key, position, go_on, SEARCHED_SLICES)
end

-- A task that is neither due nor parked is far off. After several calls it may just have gone elsewhere.
local function leave_far_list(position)
  if go_on == '' then
    void_counted_entry(position)
  else
    void_entry(position)
  end
end

local function retry_dead(position, seen, envelope)
  if call('HGET', DEAD_TASKS, position) ~= seen then
    return {CHANGE_NOT_FOUND}
  end
  local key = envelope_key(seen)
  call('ZREM', DEAD, position)
  call('HDEL', DEAD_TASKS, position)
  call('HSET', TASKS, position, envelope)
  call('ZADD', RETRY, now_text, position)
  if is_head(key, position) then
    block(key, BLOCKED_BY_HEAD, position)
    call('HDEL', OWNER, DRAIN_FIELD .. key)
  end
  return done(key, 'replayed')
end

local function retry(position, seen, envelope)
  if seen ~= '' then
    return retry_dead(position, seen, envelope)
  elseif call('ZSCORE', SCHEDULED, position) then
    call('ZADD', SCHEDULED, now_text, position)
    return done()
  elseif call('ZSCORE', RETRY, position) then
    call('ZADD', RETRY, now_text, position)
    return done()
  elseif call('HEXISTS', CLAIMS, position) == 1 then
    return {CHANGE_ACTIVE}
  end
  local stored = call('HGET', TASKS, position)
  if not stored then
    return {CHANGE_NOT_FOUND}
  end
  local parked, search_on = find_parked(position, envelope_key(stored))
  if parked then
    return {CHANGE_NOT_FOUND} -- A parked task cannot overtake its head.
  elseif search_on then
    return {CHANGE_UNFINISHED, search_on}
  end
  leave_far_list(position)
  call('ZADD', SCHEDULED, now_text, position)
  return done()
end

-- The entry of a far-off task becomes void, and the task waits in `scheduled` from now on, whenever it is due: one void mark
-- cannot tell two entries apart.
local function reschedule(position, seen, envelope, due, due_before)
  if call('HEXISTS', CLAIMS, position) == 1 then
    return {CHANGE_ACTIVE}
  elseif call('HGET', TASKS, position) ~= seen then
    return {CHANGE_NOT_FOUND}
  end
  local due_text = format('%.0f', math.max(due, now))
  if call('ZSCORE', RETRY, position) then
    call('ZADD', RETRY, due_text, position)
    return done()
  elseif call('ZSCORE', SCHEDULED, position) then
    if due_before <= now then
      return {CHANGE_ACTIVE} -- It may be offered already: then its owner starts it, whatever is said here.
    end
  else
    local parked, search_on = find_parked(position, envelope_key(seen))
    if parked then
      return {CHANGE_OTHER_STATE}
    elseif search_on then
      return {CHANGE_UNFINISHED, search_on}
    end
    leave_far_list(position)
  end
  call('HSET', TASKS, position, envelope)
  call('ZADD', SCHEDULED, due_text, position)
  return done()
end

-- Removes a waiting task from where it waits: to be due, in its lane, or far off. Returns where its search goes on, nil
-- once it is removed.
local function remove_waiting(position, key)
  if call('ZREM', SCHEDULED, position) + call('ZREM', RETRY, position) == 0 then
    local member, search_on = find_parked(position, key)
    if member then
      call('ZREM', LANES, member)
    elseif search_on then
      return search_on
    else
      leave_far_list(position)
    end
  end
  call('HDEL', TASKS, position)
  return nil
end

local function delete(position, which)
  if call('HEXISTS', CLAIMS, position) == 1 then
    return {CHANGE_ACTIVE}
  end
  local waiting = call('HGET', TASKS, position)
  local envelope = waiting or call('HGET', DEAD_TASKS, position)
  if not envelope then
    return {CHANGE_NOT_FOUND}
  end
  if which ~= DELETE_ANY and (which == DELETE_WAITING) ~= (envelope == waiting) then
    return {CHANGE_OTHER_STATE}
  end
  local key = envelope_key(envelope)
  if which == DELETE_NOT_HALTING and is_head(key, position) then
    return {CHANGE_HALTS_KEY}
  elseif waiting then
    local search_on = remove_waiting(position, key)
    if search_on then
      return {CHANGE_UNFINISHED, search_on}
    end
  else
    call('ZREM', DEAD, position)
    call('HDEL', DEAD_TASKS, position)
  end
  if waiting then
    note_dedup_end(position, waiting)
  end
  forget_notes({position})
  if waiting then
    append_successes(ARGV[7] or '', ARGV[8], {})
  end
  if is_head(key, position) then
    advance_lane(key)
    call('HDEL', OWNER, DRAIN_FIELD .. key)
  end
  return done(key, waiting and 'cancelled')
end

local function bury_head(head, envelope)
  call('ZREM', SCHEDULED, head)
  call('ZREM', RETRY, head)
  call('HDEL', TASKS, head)
  died = died + 1
  note_dedup_end(head, envelope)
  add_to_history(writes.dead, writes.dead_tasks, head, envelope)
end

-- Returns the envelope of a head that an operator gives up: its error says so, and quotes the one before.
local function given_up(envelope, alive)
  local note, before = change == 'skip' and 'skipped' or 'drained', envelope_error(envelope)
  note = note .. ' by an operator' .. (alive and ' before its next attempt' or '')
  return envelope_with_error(envelope, before == '' and note or note .. ', after: ' .. before)
end

local function skip(key, seen_head, drain, forced)
  local entry = call('HGET', BLOCKED, key)
  local head = entry and head_of(entry)
  local noted = call('HGET', OWNER, DRAIN_FIELD .. key)
  if head ~= seen_head or go_on == GO_ON_NOTED and noted ~= seen_head then
    if noted == seen_head then
      call('HDEL', OWNER, DRAIN_FIELD .. key)
    end
    return {CHANGE_NOT_FOUND}
  elseif call('HEXISTS', CLAIMS, head) == 1 then
    return {CHANGE_ACTIVE}
  elseif go_on == '' and reason_of(entry) ~= BLOCKED_BY_HALT and not forced then
    return {CHANGE_NOT_HALTED}
  elseif go_on ~= '' and go_on ~= GO_ON_NOTED and sub(go_on, GO_ON_LENGTH + 1) ~= entry then
    -- The key has another entry than the one that the first call of an operator's drain saw, or left. The entry is
    -- written anew whenever the head runs, ends or is lost.
    return {CHANGE_NOT_FOUND}
  end
  local envelope = call('HGET', TASKS, head)
  if envelope and go_on ~= '' then
    return {CHANGE_NOT_FOUND} -- It was retried since the drain began.
  elseif envelope then
    bury_head(head, given_up(envelope, true))
  end
  local by_operator = go_on ~= GO_ON_NOTED
  local drained = not drain or drain_some(key, head, by_operator and ', by an operator' or '')
  write_outcomes()
  count_outcomes()
  if not drained then
    if envelope then
      block(key, BLOCKED_BY_HALT, head)
    end
    local began = (envelope and GO_ON_ALIVE or GO_ON_BEGUN) .. call('HGET', BLOCKED, key)
    return {CHANGE_UNFINISHED, go_on == '' and began or go_on}
  end
  local dead = by_operator and reason_of(entry) == BLOCKED_BY_HALT and call('HGET', DEAD_TASKS, head)
  if dead and sub(go_on, 1, GO_ON_LENGTH) ~= GO_ON_ALIVE then
    call('HSET', DEAD_TASKS, head, given_up(dead, false))
  end
  call('HDEL', ATTEMPTS, head)
  call('HDEL', OWNER, DRAIN_FIELD .. key)
  advance_lane(key)
  return done(key)
end

if change == 'retry' then
  return retry(ARGV[3], ARGV[4], ARGV[5])
elseif change == 'delete' then
  return delete(ARGV[3], ARGV[5])
elseif change == 'reschedule' then
  return reschedule(ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[7]), tonumber(ARGV[8]))
elseif change == 'skip' or change == 'drain' then
  return skip(ARGV[3], ARGV[4], change == 'drain', ARGV[5] == CHANGE_FORCED)
end
return redis.error_reply('ERR unknown change ' .. change)
