-- Notes for how long a task may wait for those of a queue, so that the ends of these are remembered for as long.
--
-- KEYS 1    the longest such wait of the last weeks (ms). Expires by itself
-- ARGV 1    for how long a task may wait (ms)
-- Returns   {REPLY_OK}
local wait = math.min(tonumber(ARGV[1]), MAX_EXPECTED_WAIT_MILLIS)
if wait >= tonumber(redis.call('GET', KEYS[1]) or '0') then
  redis.call('SET', KEYS[1], string.format('%.0f', wait), 'PX', EXPECTED_WAITS_KEPT_MILLIS)
end
return {REPLY_OK}
