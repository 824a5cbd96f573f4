-- Whether a run may write notes.
-- Requires: partition_keys, clock, claim_record, envelope.
-- Provides: standing_of.

-- Returns RUN_CLAIMED if the position is claimed under this token (8 bytes), RUN_ENDED if the run's outcome is recorded or
-- a later run has begun, RUN_UNKNOWN if its claim is not written: not yet, or not any more.
local function standing_of(position, token)
  local claim = call('HGET', CLAIMS, position)
  local claimed = claim and token_of(claim)
  if claimed == token then
    return RUN_CLAIMED
  end
  local envelope = call('HGET', TASKS, position) or call('HGET', DEAD_TASKS, position)
  local settled = envelope and envelope_token(envelope)
  local number = number_of(token)
  if claimed and number_of(claimed) > number or settled and number_of(settled) >= number then
    return RUN_ENDED
  end
  return RUN_UNKNOWN
end
