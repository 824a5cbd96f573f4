-- What an operator does, by no epoch and no number; the owner is woken.
-- KEYS: the partition's. ARGV 1: channel that wakes the owner; 2: what; then
--   'retry', position, envelope that was seen, envelope to run with: a dead task goes back, due now; a waiting one
--     (scheduled, retry) is due now.
--   'delete', position: a dead task goes for good, a waiting or parked one is cancelled.
--   'skip', key, head that was seen: the key's head is given up and the lane goes on. A waiting head dies.
--   'drain', key, head that was seen: as skip, and all that is in the lane at this moment dies first, in order.
-- Answers {1} done; {0} not there, or not as it was seen; {2} refused, it runs.
-- @include keys
-- @include now
local owner = call('HMGET', OWNER, 'epoch', 'token', 'executor', 'incarnation', 'highwater', 'mirror')
-- @include lists
-- @include claim
-- @include envelope
-- @include lanes
-- @include blocked
-- @include bits
-- @include index
-- @include queue
-- @include settling
-- @include settle
-- @include later
local what, name = ARGV[2], ARGV[3]
call('HDEL', OWNER, '') -- A removal first, so that an operator can make room when memory is full.

local function changed(key, count)
  if key then
    call('SADD', OPENED, key)
  end
  if count then
    call('HINCRBY', STATS, count, 1)
  end
  call('PUBLISH', ARGV[1], what)
  return {1}
end

local function is_head(key, position)
  local entry = key and call('HGET', BLOCKED, key)
  return entry and head_of(entry) == position
end

local function bury(position, envelope)
  call('ZREM', SCHEDULED, position)
  call('ZREM', RETRY, position)
  call('HDEL', TASKS, position)
  died = died + 1
  history(writes.dead, writes.dead_tasks, position, envelope)
end

if what == 'retry' then
  if call('ZSCORE', SCHEDULED, name) then
    call('ZADD', SCHEDULED, now_text, name)
    return changed()
  elseif call('ZSCORE', RETRY, name) then
    call('ZADD', RETRY, now_text, name)
    return changed()
  elseif call('HEXISTS', CLAIMS, name) == 1 then
    return {2}
  end
  local waiting = call('HGET', TASKS, name)
  if waiting then
    -- Far off, or in a lane, which is no place to be retried from.
    if in_lane(envelope_key(waiting), name) then
      return {0}
    end
    take_hint(name)
    call('ZADD', SCHEDULED, now_text, name)
    return changed()
  elseif call('HGET', DEAD_TASKS, name) ~= ARGV[4] then
    return {0}
  end
  local key = envelope_key(ARGV[4])
  call('ZREM', DEAD, name)
  call('HDEL', DEAD_TASKS, name)
  call('HSET', TASKS, name, ARGV[5])
  call('ZADD', RETRY, now_text, name)
  if is_head(key, name) then
    block(key, 'H', name)
  end
  return changed(key, 'replayed')
elseif what == 'delete' then
  if call('HEXISTS', CLAIMS, name) == 1 then
    return {2}
  end
  local envelope = call('HGET', TASKS, name)
  if envelope then
    local key = envelope_key(envelope)
    -- Where it waits: to be due, in its lane, or far off.
    if call('ZREM', SCHEDULED, name) + call('ZREM', RETRY, name) == 0 then
      local member = in_lane(key, name)
      if member then
        call('ZREM', LANES, member)
      else
        take_hint(name)
      end
    end
    call('HDEL', TASKS, name)
    if is_head(key, name) then
      go_on(key)
    end
    return changed(key, 'cancelled')
  end
  envelope = call('HGET', DEAD_TASKS, name)
  if not envelope then
    return {0}
  end
  local key = envelope_key(envelope)
  call('ZREM', DEAD, name)
  call('HDEL', DEAD_TASKS, name)
  if is_head(key, name) then
    go_on(key)
  end
  return changed(key)
elseif what == 'skip' or what == 'drain' then
  local entry = call('HGET', BLOCKED, name)
  if not entry or head_of(entry) ~= ARGV[4] then
    return {0}
  end
  local head = head_of(entry)
  if call('HEXISTS', CLAIMS, head) == 1 then
    return {2}
  end
  local envelope = call('HGET', TASKS, head)
  if envelope then
    bury(head, envelope)
  end
  local position = what == 'drain' and lane_pop(name)
  while position do
    bury(position, drained(call('HGET', TASKS, position), head))
    position = lane_pop(name)
  end
  write_settled()
  count_settled()
  call('HDEL', ATTEMPTS, head)
  go_on(name)
  return changed(name)
end
return redis.error_reply('ERR unknown change ' .. what)
