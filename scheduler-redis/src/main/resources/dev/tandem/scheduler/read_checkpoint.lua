-- Reads the checkpoint of a task for its run, by token only. Changes nothing.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    position
-- ARGV 2    token, 8 bytes
-- Returns   {REPLY_OK, RUN_..., checkpoint (false: none; also unless RUN_CLAIMED)}
-- @include partition_keys
-- @include note_keys
-- @include clock
-- @include claim_record
-- @include envelope
-- @include run_standing
local standing = standing_of(ARGV[1], ARGV[2])
local kept = standing == RUN_CLAIMED and call('HGET', CHECKPOINTS, ARGV[1])
return {REPLY_OK, standing, kept and sub(kept, 8)}
