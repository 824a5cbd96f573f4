-- Adds what became of runs of a queue to its statistics. The point of time that is in progress is in a field of its own; once it is
-- over, it goes to the end of its list, and is added to the longer point to which it belongs. A point is MessagePack of a list: its
-- beginning (minutes since 1970), a list of counts, the waits, the runs. Waits and runs are lists of counts by bucket, in which
-- -n stands for n empty buckets.
--
-- KEYS      the points in progress; the minutes, five minutes and hours that are over
-- ARGV      MessagePack of a list: counts, waits, runs; for how many minutes points are kept
-- Returns   {REPLY_OK}
local call, max, min = redis.call, math.max, math.min
local kept = tonumber(ARGV[2])
local time = call('TIME')
local minute = math.floor(time[1] / 60)
local steps = {STATISTICS_MINUTE, STATISTICS_FIVE_MINUTES, STATISTICS_HOUR}
local most = {MAX_STATISTICS_MINUTES, MAX_STATISTICS_FIVE_MINUTES, MAX_STATISTICS_HOURS}

local function sum_of_counts(one, other)
  for i = 1, #other do
    one[i] = (one[i] or 0) + other[i]
  end
  return one
end

-- Adds a list of counts by bucket to a table of them. Returns the highest bucket.
local function spread(histogram, counts)
  local bucket = 0
  for i = 1, #histogram do
    local count = histogram[i]
    if count < 0 then
      bucket = bucket - count
    else
      counts[bucket] = (counts[bucket] or 0) + count
      bucket = bucket + 1
    end
  end
  return bucket - 1
end

local function sum_of_histograms(one, other)
  local counts = {}
  local last = max(spread(one, counts), spread(other, counts))
  local sum, empty = {}, 0
  for bucket = 0, last do
    local count = counts[bucket]
    if count then
      if empty > 0 then
        sum[#sum + 1] = -empty
        empty = 0
      end
      sum[#sum + 1] = count
    else
      empty = empty + 1
    end
  end
  return sum
end

-- Puts a point that is over at the end of its list, and removes those that are too old.
local function end_point(tier, packed, start)
  local key, step = KEYS[tier + 1], steps[tier]
  call('RPUSH', key, packed)
  call('LTRIM', key, -most[tier], -1)
  local oldest = start - min(kept, most[tier] * step)
  for _ = 1, MAX_TRIMMED_STATISTICS do
    local first = call('LINDEX', key, 0)
    if not first or cmsgpack.unpack(first)[1] >= oldest then
      break
    end
    call('LPOP', key)
  end
  call('PEXPIRE', key, string.format('%.0f', min(kept, most[tier] * step) * 60000))
end

local function add(tier, start, counts, waits, runs)
  local step = steps[tier]
  start = start - start % step
  local packed = call('HGET', KEYS[1], step)
  local point = packed and cmsgpack.unpack(packed)
  if point and point[1] > start and point[1] - start <= STATISTICS_CLOCK_BACK then
    -- The clock went back a little, as after a failover.
    start = point[1]
  end
  if point and point[1] ~= start then
    end_point(tier, packed, point[1])
    if steps[tier + 1] then
      add(tier + 1, unpack(point))
    end
    point = nil
  end
  if point then
    counts = sum_of_counts(point[2], counts)
    waits = sum_of_histograms(point[3], waits)
    runs = sum_of_histograms(point[4], runs)
  end
  call('HSET', KEYS[1], step, cmsgpack.pack({start, counts, waits, runs}))
  if tier == 1 and not point then
    call('PEXPIRE', KEYS[1], string.format('%.0f', kept * 60000))
  end
end

local news = cmsgpack.unpack(ARGV[1])
add(1, minute, news[1], news[2], news[3])
return {REPLY_OK}
