-- Makes a write, whatever was there before and even when memory is full, for WAIT and WAITAOF to wait for.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV      none
-- Returns   {REPLY_OK}
-- @include partition_keys
call('HDEL', OWNER, 'barrier')
call('HSET', OWNER, 'barrier', '1')
return {REPLY_OK}
