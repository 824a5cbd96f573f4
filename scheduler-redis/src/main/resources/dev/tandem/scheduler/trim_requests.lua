-- Forgets requests with keys of their callers that have ended, some at a time.
--
-- KEYS      see include/keyed_requests
-- ARGV 1    most
-- Returns   {how many}
-- @include keyed_requests
return {forget_ended_requests(tonumber(ARGV[1]))}
