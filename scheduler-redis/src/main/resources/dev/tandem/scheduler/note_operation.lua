-- Notes how far an operation is, and holds on to its claim.
--
-- KEYS      see include/operation_keys
-- ARGV 1    operation
-- ARGV 2    program that runs it
-- ARGV 3    how long the claim holds from now on, ms; 0 gives it up
-- ARGV 4    progress
-- ARGV 5    1 if the operation has ended, 2 if it has and only counted
-- Returns   {1 if the claim is still this program's, 1 if the operation is to stop}. Without the claim nothing is noted
-- @include operation_keys
local name = ARGV[1]
if call('HGET', CLAIMS, name) ~= ARGV[2] or not call('ZSCORE', OPEN, name) then
  return {0, 0}
end
call('HSET', PROGRESS, name, ARGV[4])
if ARGV[5] ~= '0' then
  call('ZREM', OPEN, name)
  call('HDEL', CLAIMS, name)
  call('ZADD', ARGV[5] == '2' and COUNTED or ENDED, now_text, name)
else
  call('ZADD', OPEN, format('%.0f', now + ARGV[3]), name)
  if ARGV[3] == '0' then
    call('HDEL', CLAIMS, name)
  end
end
return {1, call('HEXISTS', STOPS, name)}
