-- Replaces the history of a queue's partitions, unless it is not what the caller knows.
--
-- KEYS 1    the history
-- ARGV 1    what it is now; '': nothing is known
-- ARGV 2    what it is from now on
-- Returns   {1 if it was replaced, else 0}
local call = redis.call
if (call('GET', KEYS[1]) or '') ~= ARGV[1] then
  return {0}
end
call('SET', KEYS[1], ARGV[2])
return {1}
