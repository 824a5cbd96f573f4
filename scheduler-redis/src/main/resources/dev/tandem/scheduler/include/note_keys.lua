-- The keys of what runs note. Few functions use them, and the other scripts are short of locals.
-- Requires: partition_keys.
-- Provides: CHECKPOINTS, PROGRESS.
local CHECKPOINTS, PROGRESS = KEYS[25], KEYS[26]
