-- Frees a deduplication key by an operator: the next task with it runs. Marks of other tasks stay.
--
-- KEYS 1    its key, see deduplicate
-- ARGV      none
-- Returns   {1 if the deduplication key was taken}
local call = redis.call
call('HDEL', KEYS[1], '') -- After a removal, Redis lets an operator make room even when memory is full.
local packed = call('HGET', KEYS[1], 'h')
if not packed then
  return {0}
end
local h = cmsgpack.unpack(packed)
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local is_open = h[1] == BEARER_WAITS or h[1] == BEARER_BEGUN
if now >= h[7] and not is_open then
  return {0}
end
if is_open then
  h[1] = BEARER_FAILED
end
local was_taken = now < h[7] and 1 or 0
h[7] = now
h[8] = math.max(h[9], now + DEDUP_KEPT_MILLIS)
call('HSET', KEYS[1], 'h', cmsgpack.pack(h))
call('PEXPIREAT', KEYS[1], string.format('%.0f', h[8] + 1000))
return {was_taken}
