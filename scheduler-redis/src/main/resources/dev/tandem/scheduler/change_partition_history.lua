-- Replaces the history of a queue's partitions, unless it is not what the caller knows. Gives a growth that begins its times, by
-- Redis's clock.
--
-- KEYS 1    the history
-- ARGV 1    what it is now; '': nothing is known
-- ARGV 2    what it is from now on. A growth that begins was noticed at 0, and is open until its window, ms
-- ARGV 3    the time before which it is not replaced, ms
-- Returns   {1 if it was replaced, else 0}
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if (call('GET', KEYS[1]) or '') ~= ARGV[1] or now < tonumber(ARGV[3]) then
  return {0}
end
local history = string.gsub(ARGV[2], '\n(%d+) 0 (%d+) ', function(from, window)
  return string.format('\n%s %.0f %.0f ', from, now, now + window)
end)
call('SET', KEYS[1], history)
return {1}
