-- Registers the process of an executor among those of its host. One script, so that no crash leaves it there for ever.
--
-- KEYS 1    the host's
-- ARGV 1    the id of the executor
-- ARGV 2    its process
-- ARGV 3    how long the host's processes are kept after this, ms
-- Returns   {1}
local call = redis.call
call('HSET', KEYS[1], ARGV[1], ARGV[2])
call('PEXPIRE', KEYS[1], ARGV[3])
return {1}
