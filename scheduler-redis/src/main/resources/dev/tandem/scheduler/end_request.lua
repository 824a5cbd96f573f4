-- Keeps the answer to a request with a key of its caller, or lets it be under way for longer, or forgets it. Does nothing if it is
-- another one's by now.
--
-- KEYS      see include/keyed_requests
-- ARGV 1    caller
-- ARGV 2    the rest of the id
-- ARGV 3    run        of this request
-- ARGV 4    for how long the entry is kept from now on, ms; 0 to forget it
-- ARGV 5    answer; '' if there is none yet
-- Returns   {1} if it was this one's, {0} otherwise
-- @include keyed_requests
local id = ARGV[1] .. '/' .. ARGV[2]
local mine = 'U ' .. ARGV[3]
if call('HGET', ENTRIES, id) ~= mine then
  return {0}
end
if ARGV[4] == '0' then
  forget_request(id)
  return {1}
end
if ARGV[5] ~= '' then
  local value = 'D ' .. ARGV[5]
  call('HSET', ENTRIES, id, value)
  count_request(ARGV[1], 0, #value - #mine)
end
call('ZADD', ENDS, now + ARGV[4], id)
keep_requests(tonumber(ARGV[4]))
return {1}
