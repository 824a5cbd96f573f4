-- The heads of blocked keys, and what becomes of a lane when its head has ended.
-- Requires: partition_keys, clock, claim_record, lanes, blocked_keys, dead_groups, settlement_state.
-- Provides: is_head, advance_lane, now_text.
local now_text = format('%.0f', now)
local answered_bytes = 0 -- of the envelopes that advance_lane returned

local function is_head(key, position)
  if not key or not any_blocked then
    return false
  end
  local entry = call('HGET', BLOCKED, key)
  return entry and head_of(entry) == position
end

-- The head of a blocked key has ended: the lane goes on. Returns SETTLE_OPENED if the lane was empty, SETTLE_OK if
-- its next task is due now (no token given, or envelopes of MAX_ANSWER_BYTES are returned already), or {position, lapses,
-- envelope} of the next task, claimed under the token.
local function advance_lane(key, token)
  local position = lane_pop(key)
  if not position then
    groups.open(key)
    return SETTLE_OPENED
  end
  block(key, BLOCKED_BY_HEAD, position)
  if not token or answered_bytes >= MAX_ANSWER_BYTES then
    call('ZADD', RETRY, now_text, position)
    return SETTLE_OK
  end
  claims[position] = claim_head() .. claim_tail(token, COVERED_NAME, key)
  call('HSET', CLAIMS, position, claims[position])
  local envelope = call('HGET', TASKS, position)
  answered_bytes = answered_bytes + #envelope
  return {position, tonumber(call('HGET', ATTEMPTS, position) or '0'), envelope}
end
