-- Says of tasks whether those have ended that they wait for. Each request is about one such task, a dependent, and one
-- deduplication key, and may be repeated.
--
-- KEYS      for each request two, all of one bucket: what is known of the deduplication key, see deduplicate; and a hash of
--           the tasks that wait for it: queue/partition/position -> MessagePack of a list: since when it waits (ms), 1 if
--           it need not wait any more, queue, partition, position
-- ARGV      for each request, MessagePack of a list: DEPENDENCY_... (what is asked or told), queue, partition and position
--           of the task that waits, ms; these are with DEPENDENCY_ASK: for how long it may wait; with DEPENDENCY_LATER:
--           until it runs again; and with DEPENDENCY_ASK: ms for which it has waited, as far as is known outside of Redis
-- Returns   {REPLY_OK, the time (ms), and for each request: DEPENDENCY_... (the answer), the name of the task that has the
--           deduplication key, else '', the ms for which the other has waited}
-- @include dedup_entry

-- Keeps a hash of tasks that wait for as long as one of them may ask again.
local function keep_until(key, at)
  if call('PTTL', key) < at - now then
    call('PEXPIREAT', key, string.format('%.0f', at))
  end
end

-- Says in the entry that its end is awaited, so that it is remembered, and the task is woken.
local function note_awaited(key, e, at)
  e = e or nobody()
  if e.awaited < at then
    e.awaited = at
    e.keep = max(e.keep, at)
    write(key, e, e.expires)
  end
end

local function ask(key, dependents, field, r)
  local e, packed = read(key), call('HGET', dependents, field)
  local since, over = packed and unpack_list(packed)[1] or now, packed and unpack_list(packed)[2] or 0
  local is_full = not packed and call('HLEN', dependents) >= MAX_DEPENDENTS
  if is_full then
    since = now - r.waited
  end
  if over == 0 and e and (e.state == BEARER_DONE or e.succeeded >= since) then
    over = 1
  end
  local at = now + r.ms + DEPENDENTS_KEPT_MILLIS
  if not is_full then
    call('HSET', dependents, field, pack({since, over, r.queue, r.partition, r.position}))
    keep_until(dependents, at)
  end
  if over == 0 then
    note_awaited(key, e, at)
  end
  local answer = DEPENDENCY_OPEN
  if over == 1 then
    answer = DEPENDENCY_SUCCEEDED
  elseif not e or e.state == BEARER_AWAITED then
    answer = DEPENDENCY_UNKNOWN
  elseif e.state == BEARER_FAILED then
    answer = DEPENDENCY_FAILED
  end
  return answer, e and e.name or '', max(0, now - since)
end

local function release(dependents, field)
  local packed = call('HGET', dependents, field)
  if packed then
    local w = unpack_list(packed)
    w[2] = 1
    call('HSET', dependents, field, pack(w))
  end
end

local reply = {REPLY_OK, now}
for i = 1, #ARGV do
  local a = unpack_list(ARGV[i])
  local r = {queue = a[2], partition = a[3], position = a[4], ms = a[5], waited = a[6]}
  local key, dependents, field = KEYS[2 * i - 1], KEYS[2 * i], a[2] .. '/' .. a[3] .. '/' .. a[4]
  local code, name, waited = DEPENDENCY_NOTED, '', 0
  if a[1] == DEPENDENCY_ASK then
    code, name, waited = ask(key, dependents, field, r)
  elseif a[1] == DEPENDENCY_LATER then
    keep_until(dependents, now + r.ms + DEPENDENTS_KEPT_MILLIS)
  elseif a[1] == DEPENDENCY_RELEASED then
    release(dependents, field)
  else
    call('HDEL', dependents, field)
  end
  reply[#reply + 1] = code
  reply[#reply + 1] = name
  reply[#reply + 1] = waited
end
return reply
