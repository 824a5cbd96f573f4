-- What a message queue's partition remembers of settled positions; see redelivery_marks.
-- Requires: partition_keys, clock.
-- Provides: still_awaits_redelivery.

local function still_awaits_redelivery(position)
  local since = call('ZSCORE', OWED, position)
  return since and since + REDELIVERY_KEPT_MILLIS > now
end
