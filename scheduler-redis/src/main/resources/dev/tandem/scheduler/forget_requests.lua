-- Forgets requests to executors with all answers, also those of executors that whoever asked did not expect.
--
-- KEYS 1    requests  hash: requests and the answers to them; the fields of answers begin with that of the request and a colon
-- ARGV *    fields of the requests, without colons
-- Returns   {fields that were removed}
local forgotten = {}
for _, request in ipairs(ARGV) do
  forgotten[request] = true
end
local removed = 0
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if forgotten[string.match(field, '^[^:]+')] then
    redis.call('HDEL', KEYS[1], field)
    removed = removed + 1
  end
end
return {removed}
