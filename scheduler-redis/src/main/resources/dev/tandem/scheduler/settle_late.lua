-- Settles a former owner's outcome, by token only: no epoch, no number. Claims nothing, but a task that its process
-- started next keeps its claim. The lane's next task becomes due now, and the owner is woken.
--
-- KEYS      the partition's, see include/partition_keys; behind them the list `events`, if the queue has events
-- ARGV 1    incarnation; NO_INCARNATION: a message queue
-- ARGV 2    channel that wakes the owner
-- ARGV 3    position
-- ARGV 4    token, 8 bytes
-- ARGV 5    bit; -1: none
-- ARGV 6    VERDICT_...
-- ARGV 7    delay of a retry, ms
-- ARGV 8    envelope; '': none
-- ARGV 9    1 if it has a key
-- ARGV 10   the key
-- ARGV 11   position of the task that its process started next; '': none
-- ARGV 12   token of that task, 8 bytes
-- ARGV 13   page of what is kept of a success, see include/success_pages; '': nothing
-- ARGV 14   its hashes
-- ARGV 15   page with the event, see include/event_pages; '': none. Only if the queue has events, as the next one
-- ARGV 16   the policy of its events, see include/event_pages
-- Returns   {REPLY_OK, 1 if recorded, else 0}
-- @include partition_keys
local owner = call('HMGET', OWNER, 'epoch', 'token', 'executor', 'incarnation', 'highwater', 'mirror')
if not owner[OWNER_EPOCH] then
  return {REPLY_OK, 0}
end
call('HDEL', OWNER, '') -- After a removal, Redis lets a script record outcomes even when memory is full.
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include covered_claims
-- @include envelope
-- @include untold_ends
-- @include envelope_errors
-- @include success_keys
-- @include success_pages
-- @include event_drops
-- @include event_pages
-- @include event_records
-- @include lanes
-- @include blocked_keys
-- @include dead_groups
-- @include error_groups
-- @include settled_bits
-- @include id_index
-- @include redelivery_marks
-- @include note_keys
-- @include settlement_state
-- @include lane_heads
-- @include settle_outcome
-- The script is short of locals, so what is used once has none.
local incarnation, position, token, bit, verdict = ARGV[1], ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6]
local key, next_position, next_token = ARGV[9] == '1' and ARGV[10], ARGV[11], ARGV[12]
begin_bits(incarnation)
events.policy = ARGV[16]
begin_redelivery_marks(incarnation)
local claim = call('HGET', CLAIMS, position)
-- Of this claim, and of the one that follows. Nil: they are covered, or there is none.
local deadline = claim and not is_covered(claim) and (call('ZSCORE', INFLIGHT, position) or now_text) or nil
local was_head = is_head(key, position)

-- Takes the next task out of its lane, or out of where it waits to be due. False if somebody else has it.
local function take_next()
  local standing = call('HGET', CLAIMS, next_position)
  if standing then
    return token_of(standing) == next_token
  elseif call('HEXISTS', DEAD_TASKS, next_position) == 1 then
    return false
  elseif call('HEXISTS', TASKS, next_position) == 0
      or call('ZREM', SCHEDULED, next_position) + call('ZREM', RETRY, next_position) > 0 then
    return true
  end
  local member = key and in_lane(key, next_position)
  return member and call('ZREM', LANES, member) == 1
end

local relays = next_position ~= '' and claim and token_of(claim) == token
if relays and is_queue and claimant_of(claim) ~= owner[OWNER_EXECUTOR] then
  -- The new owner could not recognise the message of a task that is claimed only now. This claim ends by its lease.
  return {REPLY_OK, 0}
end
local next_claim = relays and claim_head() .. claim_tail(next_token, executor_of(claim), key)
local success = ends_plainly(verdict)
if relays and was_head and success and take_next() then
  -- The lane does not go on: the next task runs already, and heads the key from now on.
  block(key, BLOCKED_BY_OTHER_OWNER, next_position)
  if not call('HGET', CLAIMS, next_position) then
    relayed[next_position] = next_claim
  end
end
claims[position] = claim
local result = settle(position, token, key, is_queue and AWAITS_REDELIVERY or bit, verdict, tonumber(ARGV[7]),
  ARGV[8])
if result == SETTLE_REFUSED then
  return {REPLY_OK, 0}
end
write_outcomes()
if result ~= SETTLE_DONE then
  append_successes(ARGV[13], ARGV[14], {})
  events.append(ARGV[15], {})
end
if relays and not was_head and result == SETTLE_OK then
  relay(next_position, next_claim, key)
end
write_relayed(deadline)
groups.write()
write_bits()
if is_queue then
  write_redelivery_marks()
end
count_outcomes()
if was_head and result ~= SETTLE_DONE and (verdict == VERDICT_RETURNED or not is_head(key, position)) then
  call('SADD', OPENED, key)
end
call('PUBLISH', ARGV[2], 'late')
return {REPLY_OK, 1}
