-- Stops an operation: the program that runs it, or the next one, ends it after the tasks that it changes just now.
--
-- KEYS      see include/operation_keys
-- ARGV 1    operation
-- Returns   {OPERATION_STOPPING}, {OPERATION_ENDED} or {OPERATION_UNKNOWN}
-- @include operation_keys
local name = ARGV[1]
if not call('ZSCORE', OPEN, name) then
  return {call('HEXISTS', DEFINITIONS, name) == 1 and OPERATION_ENDED or OPERATION_UNKNOWN}
end
call('HSETNX', STOPS, name, now_text)
return {OPERATION_STOPPING}
