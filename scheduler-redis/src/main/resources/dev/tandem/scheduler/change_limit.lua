-- Sets what an operator wants of a limit in place of its settings, or removes it, and tells the executors that use the limit. Nothing
-- changes if the limit has another revision than the operator has seen. A removal leaves its revision for a while, so that no later
-- change gets the same one.
--
-- KEYS      the limit's override
-- ARGV 1    channel on which executors hear that they should ask again
-- ARGV 2    the revision that the limit must have; NO_REVISION: it must have no override; '': any
-- ARGV 3    who changes it; '': remove the override. Nothing changes if there is none
-- ARGV ...  field and value of each number
-- Returns   {REPLY_OK, 1 if it was changed, else 0, its revision now, each field and value of what was there before}
local call = redis.call
local time = call('TIME')
local before, was = call('HGETALL', KEYS[1]), {}
for i = 1, #before, 2 do
  was[before[i]] = before[i + 1]
end
-- An override of an earlier version has no revision.
local revision = was['revision'] or was['at'] or NO_REVISION
local is_overridden = was['by'] ~= nil
if ARGV[2] ~= '' and ARGV[2] ~= revision and (ARGV[2] ~= NO_REVISION or is_overridden) then
  return {REPLY_OK, 0, revision, unpack(before)}
end
if ARGV[3] == '' and not is_overridden then
  return {REPLY_OK, 1, revision, unpack(before)}
end

call('DEL', KEYS[1]) -- After a removal, Redis lets the new value be written even when memory is full.
-- The clock may be set back.
local next_revision = string.format('%.0f', math.max(time[1] * 1000000 + time[2], (tonumber(revision) or 0) + 1))
call('HSET', KEYS[1], 'revision', next_revision)
if ARGV[3] == '' then
  call('PEXPIRE', KEYS[1], RESET_LIMIT_KEPT_MILLIS)
else
  call('HSET', KEYS[1], 'by', ARGV[3], 'at', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)))
  for i = 4, #ARGV, 2 do
    call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
call('PUBLISH', ARGV[1], ALL_EXECUTORS)
return {REPLY_OK, 1, next_revision, unpack(before)}
