-- Buckets of a rate limit. Of each Redis knows the time at which the next token would come if all were taken: its theoretical arrival
-- time. If an override was in force when it was written, the interval (µs, 13 digits) and the burst follow behind a point.
-- `read_arrival` returns the arrival time as the numbers in force have it, now at least: `written` is the bucket; `set_interval` (µs)
-- and `set_burst` are those of the settings, and `interval` and `burst` those in force; `ahead` (µs) says how long before its time a
-- token may be reserved; `paused` is the key of the paused buckets, and `name` the bucket's name there.
-- Requires: nothing.
-- Provides: call, max, min, floor, now, read_arrival.
local call, max, min, floor = redis.call, math.max, math.min, math.floor
local time = call('TIME')
local now = time[1] * 1000000 + time[2]

-- Returns the arrival of a bucket that was written with another interval or burst. Its tokens stay, as far as the burst allows; the
-- next one comes an interval behind the last; and a pause stays.
local function carry_over(arrival, was_interval, was_burst, interval, burst, ahead, paused, name)
  local first = arrival - (was_burst - 1) * was_interval
  local wait = first - now
  if wait <= 0 then
    first = now - min(-wait / was_interval, burst - 1) * interval
  elseif wait <= ahead + was_interval then
    first = first - was_interval + interval
  end
  local paused_until = tonumber(call('ZSCORE', paused, name) or 0)
  if paused_until > now then
    first = max(first, paused_until)
  end
  return floor(first + (burst - 1) * interval)
end

local function read_arrival(written, set_interval, set_burst, interval, burst, ahead, paused, name)
  local arrival = max(now, floor(tonumber(written)))
  local was_interval, was_burst = string.match(written, '%.(%d%d%d%d%d%d%d%d%d%d%d%d%d)(%d+)$')
  was_interval, was_burst = tonumber(was_interval) or set_interval, tonumber(was_burst) or set_burst
  if arrival > now and (was_interval ~= interval or was_burst ~= burst) then
    arrival = max(now, carry_over(arrival, was_interval, was_burst, interval, burst, ahead, paused, name))
  end
  return arrival
end
