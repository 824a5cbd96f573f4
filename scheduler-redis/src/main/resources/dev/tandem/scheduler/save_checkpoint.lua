-- Keeps the checkpoint of a run, in the place of the one before, by token only: no epoch, no number.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    position
-- ARGV 2    token, 8 bytes
-- ARGV 3    checkpoint
-- Returns   {REPLY_OK, RUN_...: only with RUN_CLAIMED is it kept}
-- @include partition_keys
-- @include note_keys
-- @include clock
-- @include claim_record
-- @include envelope
-- @include run_standing
local standing = standing_of(ARGV[1], ARGV[2])
if standing == RUN_CLAIMED then
  call('HSET', CHECKPOINTS, ARGV[1], '\1' .. pack('>I6', now) .. ARGV[3])
end
return {REPLY_OK, standing}
