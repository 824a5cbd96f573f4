-- Decides which tasks of a queue are duplicates. Each request is about one deduplication key, and may be repeated.
--
-- KEYS      for each request: what is known of its deduplication key. All are of one bucket
-- ARGV      for each request, MessagePack of a list: DEDUP_... (what is asked or told), partition, position, identity ('':
--           none), 1 if no other message has the identity, 1 if the task was never delivered before, name, ms until it is
--           due, and for DEDUP_ASK and DEDUP_BEGIN: mode, window (ms), 1 if the key is taken until the task has ended,
--           retention (ms), 1 if a failure releases the key, ms after which a task counts as lost
-- Returns   {REPLY_OK, the time (ms), and for each request: DEDUP_... (the answer), the name of the other task or the ms to
--           wait, else ''}
--
-- A key of Redis is a hash. Field 'h': MessagePack of the list that `write` packs, about the task that bears the
-- deduplication key. Fields of further tasks: 'a' and identity, else partition/position: one that may run although another
-- one bears the key now; 'l' and partition/position, or 'L' and identity: a duplicate -> the name of what it duplicates.
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
    release = h[14], lost = h[15], named = h[16]}
end

-- Writes an entry, which is forgotten when nothing needs it any more.
local function write(key, e, needed_until)
  e.expires = max(e.taken, e.keep, needed_until)
  call('HSET', key, 'h', pack({e.state, e.place, e.identity, e.name, e.since, e.due, e.taken, e.expires, e.keep,
    e.not_before, e.window, e.until_done, e.retention, e.release, e.lost, e.named}))
  call('PEXPIREAT', key, string.format('%.0f', e.expires + 1000))
end

-- Until when the first task keeps others from the key by its window; 0: it does not.
local function window_end(e)
  return e.window > 0 and e.since + e.window or 0
end

-- Writes that the bearer has not ended.
local function write_open(key, e)
  local lost_at = max(now, e.due, e.not_before) + e.lost
  e.taken = max(window_end(e), e.until_done == 1 and lost_at or 0)
  write(key, e, lost_at)
end

local function go(key, e, r)
  if r.what == DEDUP_BEGIN then
    if e.not_before > now then
      write_open(key, e)
      return DEDUP_WAIT, e.not_before - now
    end
    e.state = BEARER_BEGUN
  end
  write_open(key, e)
  return DEDUP_GO, ''
end

local function is_open(e)
  return e.state == BEARER_WAITS or e.state == BEARER_BEGUN
end

local function accepted_field(identity, place)
  return 'a' .. (identity == '' and place or identity)
end

-- Makes the task the bearer of the key, in the place of an earlier one.
local function bear(key, old, r)
  local e = {state = BEARER_WAITS, place = r.place, identity = r.identity, name = r.name, since = now,
    due = now + r.delay, taken = 0, expires = 0, keep = old and old.keep or 0, not_before = 0, window = r.window,
    until_done = r.until_done, retention = r.retention, release = r.release, lost = r.lost, named = r.named}
  local open = old and is_open(old)
  if open and r.mode ~= DEDUP_FIRST and old.state == BEARER_WAITS then
    call('HSET', key, 'l' .. old.place, r.name)
    if old.named == 1 and old.identity ~= r.identity then
      call('HSET', key, 'L' .. old.identity, r.name)
    end
    if r.mode == DEDUP_REPLACE then
      e.not_before = max(old.not_before, old.due)
    end
  elseif open and (r.mode ~= DEDUP_FIRST or old.until_done == 0) then
    call('HSET', key, accepted_field(old.identity, old.place), '1')
  end
  if open then
    e.keep = max(e.keep, old.expires)
  end
  return go(key, e, r)
end

-- Whether the key is another task's, so that this one is a duplicate.
local function is_taken(key, e, r)
  return r.mode == DEDUP_FIRST and now < e.taken or is_open(e) and call('HLEN', key) > MAX_DEDUP_MARKS
end

local function duplicate(key, e, r)
  if call('HLEN', key) <= MAX_DEDUP_MARKS then
    call('HSET', key, 'l' .. r.place, e.name)
    if now + r.delay + e.lost > e.keep then
      e.keep = now + r.delay + e.lost
      write(key, e, e.expires)
    end
  end
  return DEDUP_DUPLICATE, e.name
end

local function ask(key, e, r)
  if not e then
    return bear(key, nil, r)
  end
  local of = call('HGET', key, 'l' .. r.place)
  if of then
    return DEDUP_DUPLICATE, of
  end
  local here = e.place == r.place
  local again = r.identity ~= '' and r.fresh == 0
  if here or again and e.identity == r.identity then
    if e.state ~= BEARER_DONE then
      e.place, e.name = r.place, r.name
      if e.state == BEARER_FAILED then
        e.state = BEARER_WAITS
      end
      return go(key, e, r)
    elseif here or r.named == 1 then
      return DEDUP_DONE, e.name
    end
  end
  if call('HEXISTS', key, accepted_field(r.fresh == 0 and r.identity or '', r.place)) == 1 then
    e.keep = max(e.keep, now + r.delay + e.lost)
    write(key, e, e.expires)
    return DEDUP_GO, ''
  end
  of = again and r.named == 1 and call('HGET', key, 'L' .. r.identity)
  if of then
    return DEDUP_DUPLICATE, of
  elseif is_taken(key, e, r) then
    return duplicate(key, e, r)
  end
  return bear(key, e, r)
end

local function tell(key, e, r)
  if not e then
    return
  elseif e.place ~= r.place then
    if r.what ~= DEDUP_LATER then
      call('HDEL', key, accepted_field(r.identity, r.place))
    end
  elseif r.what == DEDUP_LATER then
    e.due = now + r.delay
    write_open(key, e)
  elseif r.what == DEDUP_SUCCEEDED or e.state ~= BEARER_DONE then
    e.state = r.what == DEDUP_SUCCEEDED and BEARER_DONE or BEARER_FAILED
    e.taken = now
    if e.state == BEARER_DONE or e.release == 0 then
      e.taken = max(window_end(e), e.until_done == 1 and now + e.retention or 0)
    end
    write(key, e, now + DEDUP_KEPT_MILLIS)
  end
end

local reply = {REPLY_OK, now}
for i = 1, #ARGV do
  local a = unpack_list(ARGV[i])
  local r = {what = a[1], place = a[2] .. '/' .. a[3], identity = a[4], named = a[5], fresh = a[6], name = a[7],
    delay = a[8], mode = a[9], window = a[10], until_done = a[11], retention = a[12], release = a[13], lost = a[14]}
  local code, detail = DEDUP_NOTED, ''
  local entry = read(KEYS[i])
  if r.what == DEDUP_ASK or r.what == DEDUP_BEGIN then
    code, detail = ask(KEYS[i], entry, r)
  else
    tell(KEYS[i], entry, r)
  end
  reply[#reply + 1] = code
  reply[#reply + 1] = detail
end
return reply
