-- Makes a change of one schedule, most of them for operators.
--
-- KEYS      the bucket's, see include/schedule_keys
-- ARGV 1    now, ms
-- ARGV 2    how long a schedule is current without being announced, ms
-- ARGV 3    the schedule
-- ARGV 4    PAUSE, RESUME, FIRE or FORGET; or ENDED: the task of a firing has ended
-- ARGV 5    for ENDED, the instant of that firing, ms
-- Returns   {result (SCHEDULE_...)}
-- @include schedule_keys
local now, id, change = tonumber(ARGV[1]), ARGV[3], ARGV[4]
if call('HEXISTS', VERSIONS, id) == 0 then
  return {SCHEDULE_NOT_FOUND}
end
local stale = now - tonumber(call('ZSCORE', SEEN, id) or 0) >= tonumber(ARGV[2])
if change == 'PAUSE' then
  call('HSETNX', PAUSED, id, ARGV[1])
elseif change == 'RESUME' then
  if call('HDEL', PAUSED, id) == 1 then
    call('HSET', FIRED, id, format('%.0f', math.max(now, tonumber(call('HGET', FIRED, id) or 0))))
  end
elseif change == 'ENDED' then
  if call('HGET', OPEN, id) == ARGV[5] then
    call('HDEL', OPEN, id)
  end
elseif change == 'FIRE' then
  if stale then
    return {SCHEDULE_IS_STALE}
  end
  -- The instants of the schedule itself are whole seconds, so this is none of them.
  call('HSETNX', ASKED, id, format('%.0f', now % 1000 == 0 and now + 1 or now))
else
  local created = call('HDEL', CREATED, id) == 1
  if not stale and not created then
    return {SCHEDULE_IS_CURRENT}
  end
  if created then
    call('HDEL', PAYLOADS, id)
    revise(now)
  end
  for i = 1, 6 do
    call('HDEL', KEYS[i], id)
  end
  call('ZREM', SEEN, id)
  call('HDEL', OPEN, id)
  call('HDEL', TOTALS, id .. ' fired', id .. ' missed', id .. ' skipped')
end
return {SCHEDULE_CHANGED}
