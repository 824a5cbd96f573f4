-- Creates a schedule that belongs to no program, or gives it another definition. One with another timing begins now.
--
-- KEYS      the bucket's, see include/schedule_keys
-- ARGV 1    now, ms
-- ARGV 2    how long a schedule is current without being announced, ms
-- ARGV 3    the most schedules of the bucket
-- ARGV 4    the most created ones of the bucket
-- ARGV 5    the schedule
-- ARGV 6    the version that it must have: '': it must not be there; '*': any or none
-- ARGV 7    version
-- ARGV 8    timing
-- ARGV 9    definition
-- ARGV 10   payload of its tasks
-- Returns   {result (SCHEDULE_...)}
-- @include schedule_keys
local now, id, expected, version, timing = tonumber(ARGV[1]), ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local since, _, stored_timing = version_of(id)
local created = call('HGET', CREATED, id)
if since and not created then
  local seen = tonumber(call('ZSCORE', SEEN, id) or 0)
  return {now - seen < tonumber(ARGV[2]) and SCHEDULE_IS_CURRENT or SCHEDULE_IS_STALE}
end
if expected ~= '*' and expected ~= (created or '') then
  return {SCHEDULE_DIFFERS}
end
-- One of the fields of `created` is the revision.
if not created and (call('HLEN', DEFINITIONS) >= tonumber(ARGV[3]) or call('HLEN', CREATED) > tonumber(ARGV[4])) then
  return {SCHEDULES_ARE_FULL}
end
call('HSET', DEFINITIONS, id, ARGV[9])
call('HSET', VERSIONS, id, format('%.0f', now) .. ' ' .. version .. ' ' .. timing)
call('HSET', CREATED, id, version)
call('HSET', PAYLOADS, id, ARGV[10])
if timing ~= stored_timing then
  call('HSET', FIRED, id, format('%.0f', math.max(now, tonumber(call('HGET', FIRED, id) or 0))))
end
if not created then
  call('ZADD', SEEN, ARGV[1], id)
  call('HDEL', DELETED, id)
end
revise(now)
return {SCHEDULE_CHANGED}
