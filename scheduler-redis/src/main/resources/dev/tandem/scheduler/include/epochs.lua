-- Epochs keep their lead over the clock (in µs), so that one that Redis forgot in a restart is not issued again.
-- Requires: partition_keys, clock.
-- Provides: epoch_after.

-- Returns an epoch above the highest token. lead: of the last ownership.
local function epoch_after(highest, lead)
  return math.max(highest + 1, micros + lead)
end
