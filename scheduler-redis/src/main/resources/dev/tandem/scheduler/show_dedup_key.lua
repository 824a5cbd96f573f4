-- Shows what is known of a deduplication key.
--
-- KEYS 1    its key, see deduplicate
-- ARGV      none
-- Returns   {} if nothing is known; else {BEARER_... (what the bearer does), its partition/position, its id, when it came
--           (ms), when it is due (ms), until when the deduplication key is taken (ms), the time (ms), count of the other
--           tasks that are remembered}
local call = redis.call
local packed = call('HGET', KEYS[1], 'h')
if not packed then
  return {}
end
local h = cmsgpack.unpack(packed)
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- A duplicate that may come again in another place has a second mark, by its identity, which is not counted.
local others = -1
for _, field in ipairs(call('HKEYS', KEYS[1])) do
  others = others + (string.sub(field, 1, 1) == 'L' and 0 or 1)
end
return {h[1], h[2], h[4], h[5], h[6], h[7], now, others}
