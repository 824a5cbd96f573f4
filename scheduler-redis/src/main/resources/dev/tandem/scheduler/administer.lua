-- Makes an operator's change: no epoch, no number. The owner is woken.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    channel that wakes the owner
-- ARGV 2    the change: 'retry', 'delete', 'skip' or 'drain'
-- ARGV 3    retry, delete: position; skip, drain: key
-- ARGV 4    retry: envelope of the dead task as it was seen; skip, drain: head of the key as it was seen; else ''
-- ARGV 5    retry: envelope that the dead task runs with; else ''
-- Returns   {CHANGE_DONE}, {CHANGE_NOT_FOUND} (also if it changed since it was seen) or {CHANGE_ACTIVE}
--
-- retry   a dead task goes back, due now; a scheduled or retried one is due now
-- delete  a dead task goes for good; a scheduled, retried or parked one is cancelled
-- skip    a key's head is given up (a waiting one dies), and the lane goes on
-- drain   as skip, but everything in the lane dies first, in order
-- @include partition_keys
-- @include clock
local owner = call('HMGET', OWNER, 'epoch', 'token', 'executor', 'incarnation', 'highwater', 'mirror')
-- @include batched_commands
-- @include claim_record
-- @include envelope
-- @include lanes
-- @include blocked_keys
-- @include settled_bits
-- @include id_index
-- @include redelivery_marks
-- @include settlement_state
-- @include settle_outcome
-- @include far_schedule
local wake_channel, change = ARGV[1], ARGV[2]
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

local function remove_dead(position)
  call('ZREM', DEAD, position)
  call('HDEL', DEAD_TASKS, position)
end

local function retry_dead(position, seen, envelope)
  if call('HGET', DEAD_TASKS, position) ~= seen then
    return {CHANGE_NOT_FOUND}
  end
  local key = envelope_key(seen)
  remove_dead(position)
  call('HSET', TASKS, position, envelope)
  call('ZADD', RETRY, now_text, position)
  if is_head(key, position) then
    block(key, BLOCKED_BY_HEAD, position)
  end
  return done(key, 'replayed')
end

local function retry(position, seen, envelope)
  if call('ZSCORE', SCHEDULED, position) then
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
    return retry_dead(position, seen, envelope)
  elseif in_lane(envelope_key(stored), position) then
    return {CHANGE_NOT_FOUND} -- A parked task cannot overtake its head.
  end
  void_counted_entry(position)
  call('ZADD', SCHEDULED, now_text, position)
  return done()
end

-- Removes a waiting task from where it waits: to be due, in its lane, or far off.
local function remove_waiting(position, key)
  if call('ZREM', SCHEDULED, position) + call('ZREM', RETRY, position) == 0 then
    local member = in_lane(key, position)
    if member then
      call('ZREM', LANES, member)
    else
      void_counted_entry(position)
    end
  end
  call('HDEL', TASKS, position)
end

local function delete(position)
  if call('HEXISTS', CLAIMS, position) == 1 then
    return {CHANGE_ACTIVE}
  end
  local waiting = call('HGET', TASKS, position)
  local envelope = waiting or call('HGET', DEAD_TASKS, position)
  if not envelope then
    return {CHANGE_NOT_FOUND}
  end
  local key = envelope_key(envelope)
  if waiting then
    remove_waiting(position, key)
  else
    remove_dead(position)
  end
  if is_head(key, position) then
    advance_lane(key)
  end
  return done(key, waiting and 'cancelled')
end

local function bury(position, envelope)
  call('ZREM', SCHEDULED, position)
  call('ZREM', RETRY, position)
  call('HDEL', TASKS, position)
  died = died + 1
  add_to_history(writes.dead, writes.dead_tasks, position, envelope)
end

local function skip(key, seen_head, drain)
  local entry = call('HGET', BLOCKED, key)
  local head = entry and head_of(entry)
  if head ~= seen_head then
    return {CHANGE_NOT_FOUND}
  elseif call('HEXISTS', CLAIMS, head) == 1 then
    return {CHANGE_ACTIVE}
  end
  local envelope = call('HGET', TASKS, head)
  if envelope then
    bury(head, envelope)
  end
  local position = drain and lane_pop(key)
  while position do
    bury(position, drained_envelope(call('HGET', TASKS, position), head))
    position = lane_pop(key)
  end
  write_outcomes()
  count_outcomes()
  call('HDEL', ATTEMPTS, head)
  advance_lane(key)
  return done(key)
end

if change == 'retry' then
  return retry(ARGV[3], ARGV[4], ARGV[5])
elseif change == 'delete' then
  return delete(ARGV[3])
elseif change == 'skip' or change == 'drain' then
  return skip(ARGV[3], ARGV[4], change == 'drain')
end
return redis.error_reply('ERR unknown change ' .. change)
