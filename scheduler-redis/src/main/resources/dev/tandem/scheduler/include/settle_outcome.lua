-- Settles outcomes. The script first puts the claims of their positions into `claims`. Most writes are gathered in
-- lists, so that a batch costs few commands; write_outcomes writes them.
-- Requires: partition_keys, clock, batched_commands, claim_record, envelope, untold_ends, envelope_errors, event_records, lanes,
--   blocked_keys, dead_groups, error_groups, settled_bits, id_index, redelivery_marks, settlement_state, lane_heads, owner (fence, or the script reads it).
-- Provides: settle, relay, add_to_history, drain_some, write_outcomes, writes.
local ended_claims, forgotten_attempts = {}, {} -- positions to remove from `claims` and `inflight`, and from `attempts`
local writes = {tasks = {}, ended_tasks = {}, retry = {}, dead = {}, dead_tasks = {}, succeeded = {}}

local function write_outcomes()
  if #ended_claims > 0 then
    each_slice('HDEL', CLAIMS, ended_claims)
    each_slice('ZREM', INFLIGHT, ended_claims)
  end
  if any_attempts then
    each_slice('HDEL', ATTEMPTS, forgotten_attempts)
  end
  if any_tasks then
    each_slice('HDEL', TASKS, writes.ended_tasks)
  end
  forget_notes(writes.succeeded)
  each_slice('HSET', TASKS, writes.tasks)
  each_slice('ZADD', RETRY, writes.retry)
  each_slice('HSET', DEAD_TASKS, writes.dead_tasks)
  each_slice('ZADD', DEAD, writes.dead)
  groups.write()
  write_index()
  if #writes.tasks > 0 then
    any_tasks = true
  end
  ended_claims, forgotten_attempts = {}, {}
  writes = {tasks = {}, ended_tasks = {}, retry = {}, dead = {}, dead_tasks = {}, succeeded = {}}
end

-- Adds an envelope to the history of the dead. Times are 1 µs apart within a script, to keep the order.
local history_size = 0
local function add_to_history(times, envelopes, position, envelope)
  append_pair(times, format('%.0f', micros + history_size), position)
  append_pair(envelopes, position, envelope)
  index_id(position, envelope)
  groups.join(position, envelope)
  history_size = history_size + 1
end

-- Returns the envelope of a task that dies behind the head of its key. dev.tandem.task.Envelope words the same error.
-- by: what is added to that if an operator drains the lane, else ''.
local function drained_envelope(envelope, head, by)
  local partition = string.match(OWNER, '/([^/}]*)}')
  return envelope_with_error(envelope, 'drained behind @' .. partition .. '/' .. head .. ', the head of its key' .. by)
end

local function has_envelope(position)
  return any_tasks and call('HEXISTS', TASKS, position) == 1
end

-- Whether a task has ended with this verdict as with a success: its key goes on, and nothing of it stays to be run.
local function ends_plainly(verdict)
  return verdict == VERDICT_SUCCESS or verdict == VERDICT_EXPIRED or verdict == VERDICT_CANCELLED
end

local function count_end(verdict)
  if verdict == VERDICT_SUCCESS then
    succeeded = succeeded + 1
  else
    local total = verdict == VERDICT_EXPIRED and 'expired' or 'cancelled'
    other_ends[total] = (other_ends[total] or 0) + 1
  end
end

-- For an outcome whose claim does not stand: returns SETTLE_DONE if this outcome is recorded already, else
-- SETTLE_REFUSED.
local function done_or_refused(position, token, bit, verdict)
  write_outcomes()
  local envelope = call('HGET', TASKS, position) or call('HGET', DEAD_TASKS, position)
  if envelope then
    return envelope_token(envelope) == token and SETTLE_DONE or SETTLE_REFUSED
  end
  local success = ends_plainly(verdict)
  local settled = bit >= 0 and has_bit(bit) or is_queue and awaits_redelivery(position)
  return success and not claims[position] and settled and SETTLE_DONE or SETTLE_REFUSED
end

local function settle_returned(position, key)
  if has_envelope(position) then
    append_pair(writes.retry, now_text, position)
  elseif is_head(key, position) then
    block(key, BLOCKED_BY_REDELIVERY, position)
  end
end

local function settle_retry(position, key, delay, envelope)
  retried = retried + 1
  append_pair(writes.tasks, position, envelope)
  index_id(position, envelope)
  append_pair(writes.retry, format('%.0f', now + delay), position)
  if key then
    block(key, BLOCKED_BY_HEAD, position)
    any_blocked = true
  end
end

-- The first in the lane of a dead head die behind it, in order: so many at once that it takes neither long nor much
-- memory. Returns whether the lane is empty.
local function drain_some(key, head, by)
  local bytes, position = 0, nil
  for _ = 1, MAX_DRAINED_TASKS do
    position = bytes < MAX_DRAINED_BYTES and lane_pop(key)
    if not position then
      break
    end
    died = died + 1
    local envelope = drained_envelope(call('HGET', TASKS, position), head, by)
    bytes = bytes + #envelope
    note_untold_end(position, envelope, FAN_OUT_FAILED)
    events.note(position, envelope, EVENT_DEAD)
    add_to_history(writes.dead, writes.dead_tasks, position, envelope)
    writes.ended_tasks[#writes.ended_tasks + 1] = position
  end
  write_outcomes()
  return position == nil
end

-- Drains the lane of a task that died. Returns whether it is empty. If not, the head halts its key, and the housekeeper
-- drains the rest as an operator would.
local function drain_lane(key, position, head)
  if drain_some(key, position, '') then
    return true
  elseif head then
    block(key, BLOCKED_BY_HALT, position)
    call('HSET', OWNER, DRAIN_FIELD .. key, position)
    return false
  end
  for _ = 1, MAX_DRAINS_BEHIND_OTHER do
    if drain_some(key, position, '') then
      break
    end
  end
  return true
end

local function settle_dead(position, key, verdict, envelope, next_token)
  died = died + 1
  add_to_history(writes.dead, writes.dead_tasks, position, envelope)
  if not key then
    return SETTLE_OK
  elseif verdict == VERDICT_DEAD_HALT then
    block(key, BLOCKED_BY_HALT, position)
    any_blocked = true
    return SETTLE_OK
  end
  local head = is_head(key, position)
  write_outcomes()
  if verdict == VERDICT_DEAD_DRAIN and not drain_lane(key, position, head) then
    return SETTLE_OK
  end
  return head and advance_lane(key, next_token) or SETTLE_OK
end

-- Settles one outcome. token, next_token: 8 bytes; bit: an offset, a page, AWAITS_REDELIVERY or -1; delay: ms, for a
-- retry. Returns what advance_lane or done_or_refused returns, or SETTLE_OK.
local function settle(position, token, key, bit, verdict, delay, envelope, next_token)
  local claim = claims[position]
  if not claim or token_of(claim) ~= token then
    return done_or_refused(position, token, bit, verdict)
  end
  claims[position] = false
  if relayed[position] then
    relayed[position] = nil
  else
    ended_claims[#ended_claims + 1] = position
  end
  if verdict == VERDICT_RETURNED then
    settle_returned(position, key)
    return SETTLE_OK
  end
  forgotten_attempts[#forgotten_attempts + 1] = position
  if bit == AWAITS_REDELIVERY then
    if is_queue and not has_envelope(position) then
      awaiting[position] = true
    end
  else
    mark_settled(bit, position)
  end
  if verdict == VERDICT_RETRY then
    settle_retry(position, key, delay, envelope)
    return SETTLE_OK
  end
  writes.ended_tasks[#writes.ended_tasks + 1] = position
  if not ends_plainly(verdict) then
    return settle_dead(position, key, verdict, envelope, next_token)
  end
  count_end(verdict)
  writes.succeeded[#writes.succeeded + 1] = position
  if not is_head(key, position) then
    return SETTLE_OK
  end
  write_outcomes()
  return advance_lane(key, next_token)
end

-- Passes a key's claim on to the next task, which runs already, unless the key is blocked or the task is elsewhere.
local function relay(position, next_claim, key)
  local claim = claims[position]
  if claim == nil then
    claim = call('HGET', CLAIMS, position)
  end
  if claim or key and any_blocked and call('HEXISTS', BLOCKED, key) == 1 then
    return
  end
  if claims[position] == false then
    write_outcomes() -- This request settled the position before, and may not have written that yet.
  end
  if has_envelope(position) or (any_stored or died > 0) and call('HEXISTS', DEAD_TASKS, position) == 1 then
    return
  end
  claims[position] = next_claim
  relayed[position] = next_claim
end
