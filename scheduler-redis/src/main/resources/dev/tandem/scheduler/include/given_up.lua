-- What becomes of the error of a task that an operator gives up.
-- Requires: partition_keys, envelope, envelope_errors.
-- Provides: given_up.

-- Returns the envelope of a head that an operator gives up: its error says so, and quotes the one before.
-- how: 'skipped' or 'drained'.
local function given_up(envelope, how, alive)
  local note, before = how .. ' by an operator' .. (alive and ' before its next attempt' or ''), envelope_error(envelope)
  return envelope_with_error(envelope, before == '' and note or note .. ', after: ' .. before)
end
