-- Makes an operator's change of a key: no epoch, no number. The owner is woken.
--
-- KEYS      the partition's, see include/partition_keys; behind them the list `events`, if the queue has events
-- ARGV 1    channel that wakes the owner
-- ARGV 2    the change: 'skip' or 'drain'
-- ARGV 3    key
-- ARGV 4    head of the key as it was seen
-- ARGV 5    CHANGE_FORCED, or '' if only a halted key may be changed
-- ARGV 6    where to go on, as the reply to the same change said; '': this is the first call; GO_ON_NOTED: go on with a
--           drain that a dead task began, and that `owner` notes
-- ARGV 7    the policy of the queue's events, see include/event_pages; '': it has none
-- Returns   {CHANGE_DONE}, {CHANGE_NOT_FOUND} (also if it changed since it was seen), {CHANGE_ACTIVE},
--           {CHANGE_NOT_HALTED}: the key's head is alive, or {CHANGE_UNFINISHED, where to go on}: the change is too large
--           for one call
--
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
-- @include untold_ends
-- @include envelope_errors
-- @include given_up
-- @include lanes
-- @include blocked_keys
-- @include dead_groups
-- @include error_groups
-- @include settled_bits
-- @include id_index
-- @include redelivery_marks
-- @include note_keys
-- @include success_keys
-- @include success_pages
-- @include event_drops
-- @include event_pages
-- @include event_records
-- @include settlement_state
-- @include lane_heads
-- @include settle_outcome
-- @include far_schedule
local wake_channel, change, go_on = ARGV[1], ARGV[2], ARGV[6]
local how = change == 'skip' and 'skipped' or 'drained'
events.policy = ARGV[7]
call('HDEL', OWNER, '') -- After a removal, Redis lets an operator make room even when memory is full.

local function bury_head(head, envelope)
  call('ZREM', SCHEDULED, head)
  call('ZREM', RETRY, head)
  call('HDEL', TASKS, head)
  died = died + 1
  note_untold_end(head, envelope, FAN_OUT_FAILED)
  events.note(head, envelope, EVENT_DEAD)
  add_to_history(writes.dead, writes.dead_tasks, head, envelope)
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
    bury_head(head, given_up(envelope, how, true))
  end
  local by_operator = go_on ~= GO_ON_NOTED
  local drained = not drain or drain_some(key, head, by_operator and ', by an operator' or '')
  write_outcomes()
  count_outcomes()
  events.append(nil, {})
  if not drained then
    if envelope then
      block(key, BLOCKED_BY_HALT, head)
    end
    groups.write()
    local began = (envelope and GO_ON_ALIVE or GO_ON_BEGUN) .. call('HGET', BLOCKED, key)
    return {CHANGE_UNFINISHED, go_on == '' and began or go_on}
  end
  local dead = by_operator and reason_of(entry) == BLOCKED_BY_HALT and call('HGET', DEAD_TASKS, head)
  if dead and sub(go_on, 1, GO_ON_LENGTH) ~= GO_ON_ALIVE then
    call('HSET', DEAD_TASKS, head, given_up(dead, how, false))
  end
  call('HDEL', ATTEMPTS, head)
  call('HDEL', OWNER, DRAIN_FIELD .. key)
  advance_lane(key)
  groups.write()
  call('SADD', OPENED, key)
  call('PUBLISH', wake_channel, change)
  return {CHANGE_DONE}
end

if change == 'skip' or change == 'drain' then
  return skip(ARGV[3], ARGV[4], change == 'drain', ARGV[5] == CHANGE_FORCED)
end
return redis.error_reply('ERR unknown change ' .. change)
