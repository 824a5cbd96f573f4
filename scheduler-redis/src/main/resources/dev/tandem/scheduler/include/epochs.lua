-- Epochs and tokens. They follow the clock (µs), so that those of two partitions compare by time. They keep their lead over
-- it, so that what Redis forgot in a restart is not issued again. The lead shrinks by half of the time that passes.
-- Requires: partition_keys, clock.
-- Provides: token_lead, epoch_after.

-- Returns the lead now. epoch, lead: those with which the ownership began.
local function token_lead(epoch, lead)
  return math.max(0, lead - floor(math.max(0, micros - (epoch - lead)) / 2))
end

-- Returns an epoch above the highest token. epoch, lead: of the last ownership; nil: there was none.
local function epoch_after(highest, epoch, lead)
  return math.max(highest + 1, micros + (epoch and token_lead(epoch, lead) or 0))
end
