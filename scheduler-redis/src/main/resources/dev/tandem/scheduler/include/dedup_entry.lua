-- What is known of deduplication keys.
-- Requires: nothing.
-- Provides: call, max, unpack_list, now, read, write, nobody.
local call, max, pack, unpack_list = redis.call, math.max, cmsgpack.pack, cmsgpack.unpack
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
call('HDEL', KEYS[1], '') -- After a removal, Redis lets ends be told even when memory is full.

local function read(key)
  local packed = call('HGET', key, 'h')
  if not packed then
    return nil
  end
  local h = unpack_list(packed)
  if now > h[8] then
    call('DEL', key)
    return nil
  end
  return {state = h[1], place = h[2], identity = h[3], name = h[4], since = h[5], due = h[6], taken = h[7],
    expires = h[8], keep = h[9], not_before = h[10], window = h[11], until_done = h[12], retention = h[13],
    release = h[14], lost = h[15], named = h[16], token = h[17] or 0, sweep = h[18] or 0,
    kept = h[19] or 0, awaited = h[20] or 0, succeeded = h[21] or 0}
end

-- Writes an entry, which is forgotten when nothing needs it any more.
local function write(key, e, needed_until)
  e.expires = max(e.taken, e.keep, needed_until)
  call('HSET', key, 'h', pack({e.state, e.place, e.identity, e.name, e.since, e.due, e.taken, e.expires, e.keep,
    e.not_before, e.window, e.until_done, e.retention, e.release, e.lost, e.named, e.token, e.sweep,
    e.kept, e.awaited, e.succeeded}))
  call('PEXPIREAT', key, string.format('%.0f', e.expires + 1000))
end

-- What is known of a deduplication key of which nothing else is.
local function nobody()
  return {state = BEARER_AWAITED, place = '', identity = '', name = '', since = now, due = 0, taken = 0, expires = 0,
    keep = 0, not_before = 0, window = 0, until_done = 0, retention = 0, release = 1, lost = 0, named = 0, token = 0,
    sweep = 0, kept = 0, awaited = 0, succeeded = 0}
end
