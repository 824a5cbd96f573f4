-- The keys of what is kept of tasks that succeeded. Only a few scripts use them, and the others are short of locals.
-- Requires: partition_keys.
-- Provides: SUCCESSES, SUCCESS_IDS.
local SUCCESSES, SUCCESS_IDS = KEYS[23], KEYS[24]
