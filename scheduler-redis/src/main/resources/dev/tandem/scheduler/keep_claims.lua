-- Extends the leases of a former owner's running claims, by token only: no epoch, no number.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    lease, ms
-- ARGV 2    MessagePack of {positions, tokens of 8 bytes}
-- Returns   {REPLY_OK, positions that are not claimed under their token}
-- @include partition_keys
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include extend_leases
call('HDEL', OWNER, '') -- After a removal, Redis lets a script keep leases even when memory is full.
return {REPLY_OK, extend_leases(format('%.0f', now + ARGV[1]), cmsgpack.unpack(ARGV[2]))}
