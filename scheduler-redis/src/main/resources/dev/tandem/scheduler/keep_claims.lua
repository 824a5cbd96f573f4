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
-- @include covered_claims
-- @include extend_leases
call('HDEL', OWNER, '') -- After a removal, Redis lets a script keep leases even when memory is full.
local deadline = format('%.0f', now + ARGV[1])
local lost, covered, claims = extend_leases(deadline, cmsgpack.unpack(ARGV[2]))
-- The other covered claims are not renewed, so these get leases of their own.
uncover(covered, claims, deadline)
return {REPLY_OK, lost}
