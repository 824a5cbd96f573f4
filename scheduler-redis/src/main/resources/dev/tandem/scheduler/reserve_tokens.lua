-- Reserves tokens of a rate limit.
--
-- KEYS      the limit's buckets in use, its paused buckets, its override; then for each request: the bucket. All are of one limit
-- ARGV      for each request, MessagePack of a list: tokens wanted, interval (µs) and burst of the settings, how long before its time a token may
--           be reserved (µs), for how long none is given from now on (µs; 0: no pause), name of the bucket
-- Returns   {REPLY_OK, the time (µs), and for each request: tokens reserved, µs from now to the time of the first, ms until the next one can
--           be reserved, interval in force (µs)}
-- @include rate_buckets

-- People see these: at most MAX_SEEN_BUCKETS of each kind, which go by themselves.
local function show(key, scores)
  if #scores > 0 then
    call('ZADD', key, unpack(scores))
    call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now))
    call('ZREMRANGEBYRANK', key, 0, -MAX_SEEN_BUCKETS - 1)
    local last = tonumber(call('ZRANGE', key, -1, -1, 'WITHSCORES')[2])
    call('PEXPIRE', key, string.format('%.0f', (last - now) / 1000 + 1000))
  end
end

local override = call('HMGET', KEYS[3], 'interval', 'burst')
local changed_interval, changed_burst = tonumber(override[1]), tonumber(override[2])
local reply = {REPLY_OK, now}
local used, paused = {}, {}
for i = 4, #KEYS do
  local key, r = KEYS[i], cmsgpack.unpack(ARGV[i - 3])
  local wanted, ahead, pause, name = r[1], r[4], r[5], r[6]
  local interval, burst = changed_interval or r[2], changed_burst or r[3]
  local kept = (burst - 1) * interval
  local arrival = read_arrival(call('GET', key) or '0', r[2], r[3], interval, burst, ahead, KEYS[2], name)
  call('DEL', key) -- After a removal, Redis lets the new value be written even when memory is full.
  if pause > 0 then
    arrival = max(arrival, now + pause + kept)
    local until_then = max(now + pause, tonumber(call('ZSCORE', KEYS[2], name) or 0))
    paused[#paused + 1] = string.format('%.0f', until_then)
    paused[#paused + 1] = name
  end
  local first = arrival - kept
  local count = 0
  if first <= now + ahead then
    count = min(wanted, floor((now + ahead - first) / interval) + 1)
  end
  arrival = arrival + count * interval
  if arrival > now then
    local value = string.format('%.0f', arrival)
    if changed_interval then
      value = value .. string.format('.%013.0f%.0f', interval, burst)
    end
    call('SET', key, value, 'PX', string.format('%.0f', max(1, (arrival - now) / 1000) + 1000))
    used[#used + 1] = string.format('%.0f', arrival)
    used[#used + 1] = name
  end
  reply[#reply + 1] = count
  reply[#reply + 1] = first - now
  reply[#reply + 1] = max(0, math.ceil((arrival - kept - now - ahead) / 1000))
  reply[#reply + 1] = interval
end
show(KEYS[1], used)
show(KEYS[2], paused)
return reply
