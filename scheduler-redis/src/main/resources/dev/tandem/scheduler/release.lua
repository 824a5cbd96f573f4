-- Gives the partition up: the owner's lease ends for all but acquires of older generations. Claims stay.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1-4  request header, see include/fence
-- Returns   {REPLY_OK, ms until the next task is due (-1: none)}
-- @include partition_keys
-- @include fence
-- @include clock
-- @include next_times
-- @include apply_request
apply_request('0', 'released', '1')
return {REPLY_OK, next_due()}
