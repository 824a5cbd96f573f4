-- Keeps an executor's answer to a request, unless whoever asked has forgotten the request: nobody would remove the answer.
--
-- KEYS 1    requests  hash: requests and the answers to them
-- ARGV 1    field of the request
-- ARGV 2    field of the answer
-- ARGV 3    answer
-- Returns   {1} if it is kept, else {0}
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return {0}
end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return {1}
