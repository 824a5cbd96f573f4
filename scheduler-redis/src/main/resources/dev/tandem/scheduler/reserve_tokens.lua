-- Reserves tokens of a rate limit. Of each bucket Redis knows the time at which the next token would come if all were taken: its
-- theoretical arrival time.
--
-- KEYS      for each request: the bucket. All are of one limit
-- ARGV      for each request, MessagePack of a list: tokens wanted, interval (µs), burst, how long before its time a token may
--           be reserved (µs), for how long none is given from now on (µs; 0: no pause)
-- Returns   {REPLY_OK, the time (µs), and for each request: tokens reserved, µs from now to the time of the first, ms until the next one can
--           be reserved}
local call, max, min, floor = redis.call, math.max, math.min, math.floor
local time = call('TIME')
local now = time[1] * 1000000 + time[2]

local reply = {REPLY_OK, now}
for i, key in ipairs(KEYS) do
  local r = cmsgpack.unpack(ARGV[i])
  local wanted, interval, burst, ahead, pause = r[1], r[2], r[3], r[4], r[5]
  local kept = (burst - 1) * interval
  local arrival = max(now, tonumber(call('GET', key) or 0))
  call('DEL', key) -- After a removal, Redis lets the new value be written even when memory is full.
  if pause > 0 then
    arrival = max(arrival, now + pause + kept)
  end
  local first = arrival - kept
  local count = 0
  if first <= now + ahead then
    count = min(wanted, floor((now + ahead - first) / interval) + 1)
  end
  arrival = arrival + count * interval
  if arrival > now then
    call('SET', key, string.format('%.0f', arrival), 'PX', string.format('%.0f', max(1, (arrival - now) / 1000) + 1000))
  end
  reply[#reply + 1] = count
  reply[#reply + 1] = first - now
  reply[#reply + 1] = max(0, math.ceil((arrival - kept - now - ahead) / 1000))
end
return reply
