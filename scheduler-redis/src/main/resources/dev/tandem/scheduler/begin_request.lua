-- Begins a request with a key of its caller, or says what became of the earlier one with this key. First it forgets entries that
-- have ended, up to MAX_FORGOTTEN_REQUESTS.
--
-- KEYS      see include/keyed_requests
-- ARGV 1    caller; no space, no '/'
-- ARGV 2    the rest of the id
-- ARGV 3    run        of this request, unique
-- ARGV 4    for how long it is under way unless it is renewed, ms
-- ARGV 5    most entries
-- ARGV 6    most entries of a caller
-- ARGV 7    most bytes of all entries
-- ARGV 8    most bytes of a caller's entries
-- Returns   {REQUEST_BEGUN}, {REQUEST_UNDER_WAY}, {REQUEST_DONE, answer}, {REQUESTS_ARE_FULL} or {REQUESTS_OF_CALLER_ARE_FULL}
-- @include keyed_requests
local caller = ARGV[1]
local id = caller .. '/' .. ARGV[2]

local function count(field)
  return tonumber(call('HGET', ENTRIES, field) or 0)
end

forget_ended_requests(MAX_FORGOTTEN_REQUESTS)
local known = call('HGET', ENTRIES, id)
if known then
  local ends = call('ZSCORE', ENDS, id)
  if ends and tonumber(ends) > now then
    if string.sub(known, 1, 1) == 'D' then
      return {REQUEST_DONE, string.sub(known, 3)}
    end
    return {REQUEST_UNDER_WAY}
  end
  forget_request(id)
end
if count('#' .. caller) >= tonumber(ARGV[6]) or count('#bytes/' .. caller) >= tonumber(ARGV[8]) then
  return {REQUESTS_OF_CALLER_ARE_FULL}
end
if call('ZCARD', ENDS) >= tonumber(ARGV[5]) or count('#bytes') >= tonumber(ARGV[7]) then
  return {REQUESTS_ARE_FULL}
end
local value = 'U ' .. ARGV[3]
call('HSET', ENTRIES, id, value)
count_request(caller, 1, #value)
call('ZADD', ENDS, now + ARGV[4], id)
keep_requests(tonumber(ARGV[4]))
return {REQUEST_BEGUN}
