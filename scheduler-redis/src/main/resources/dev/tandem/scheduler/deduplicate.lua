-- Decides which tasks of a queue are duplicates. Each request is about one deduplication key, and may be repeated.
--
-- KEYS      for each request: what is known of its deduplication key. All are of one bucket. Then, unless memory is short:
--           the longest wait for tasks of the queue, see expect_waits
-- ARGV      for each request, MessagePack of a list: DEDUP_... (what is asked or told), partition, position, identity ('':
--           none), IDENTITY_..., 1 if the task was never delivered before, name, token of its run (0: none), ms until it
--           is due; for an end: ms for which it is remembered at least (0: for as long as tasks are known to wait for those
--           of the queue); and for DEDUP_ASK and DEDUP_BEGIN: mode, window (ms), 1 if the key is taken until the task has
--           ended, retention (ms), 1 if a failure releases the key, ms after which a task counts as lost, ms for which its
--           end is remembered at least, as above
-- Returns   {REPLY_OK, the time (ms), and for each request: DEDUP_... (the answer), the name of the other task, the ms to
--           wait, or '1' if tasks may wait for the end that was noted (see await_tasks); else ''}
--
-- A key of Redis is a hash. Field 'h': MessagePack of the list that `write` packs, about the task that bears the
-- deduplication key. Fields of further tasks, called marks: 'a' and identity, else partition/position: one that may run
-- although another one bears the key now; 'l' and partition/position, or 'L' and identity: a duplicate. A mark holds until
-- when it is needed at least (ms), a blank, and the name of what the task duplicates ('': it may run).
-- @include dedup_entry

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

-- Removes the marks that are over their time, once a minute: to look at all of them takes milliseconds.
local function sweep(key, e)
  if now < e.sweep then
    return
  end
  e.sweep = now + DEDUP_SWEEP_MILLIS
  local all, over = call('HGETALL', key), {}
  for i = 1, #all, 2 do
    if all[i] ~= 'h' and tonumber(string.match(all[i + 1], '^%d+ ') or 0) < now then
      over[#over + 1] = all[i]
      if #over == 1000 then
        call('HDEL', key, unpack(over))
        over = {}
      end
    end
  end
  if #over > 0 then
    call('HDEL', key, unpack(over))
  end
  if e.expires > 0 then
    write(key, e, e.expires)
  end
end

-- Whether there is no room for another mark.
local function is_full(key, e)
  if call('HLEN', key) > MAX_DEDUP_MARKS then
    sweep(key, e)
  end
  return call('HLEN', key) > MAX_DEDUP_MARKS
end

local function mark(key, field, needed_until, name)
  call('HSET', key, field, string.format('%.0f ', needed_until) .. name)
end

-- Returns what a mark names; false if there is none.
local function marked(key, field)
  local text = call('HGET', key, field)
  return text and string.match(text, '^%d+ (.*)$')
end

-- Marks a task as a duplicate: by its place, and by its identity if no other message has that.
local function mark_duplicate(key, task, due, name, other_identity)
  mark(key, 'l' .. task.place, due + DEDUP_MARK_MILLIS, name)
  if task.named == IDENTITY_OF_MESSAGE and task.identity ~= other_identity then
    mark(key, 'L' .. task.identity, due + DEDUP_MARK_MILLIS, name)
  end
end

local function go(key, e, r)
  if r.what == DEDUP_BEGIN then
    if e.not_before > now then
      write_open(key, e)
      return DEDUP_WAIT, e.not_before - now
    end
    e.state, e.token = BEARER_BEGUN, r.token
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
    until_done = r.until_done, retention = r.retention, release = r.release, lost = r.lost, named = r.named, token = 0,
    sweep = old and old.sweep or 0, kept = r.kept, awaited = old and old.awaited or 0,
    succeeded = old and old.succeeded or 0}
  local open = old and is_open(old)
  local full = open and is_full(key, e)
  if open and r.mode ~= DEDUP_FIRST and old.state == BEARER_WAITS then
    if not full then
      mark_duplicate(key, old, max(old.due, old.not_before), r.name, r.identity)
    end
    if r.mode == DEDUP_REPLACE then
      e.not_before = max(old.not_before, old.due)
    end
  elseif open and not full and (r.mode ~= DEDUP_FIRST or old.until_done == 0) then
    mark(key, accepted_field(old.identity, old.place), old.expires, '')
  end
  if open then
    e.keep = max(e.keep, old.expires)
  end
  return go(key, e, r)
end

-- Whether the key is another task's, so that this one is a duplicate.
local function is_taken(key, e, r)
  return r.mode == DEDUP_FIRST and (now < e.taken or is_open(e) and is_full(key, e))
end

-- Lets a task run beside the bearer.
local function accept(key, e, r)
  if not is_full(key, e) then
    mark(key, accepted_field(r.identity, r.place), now + r.delay + e.lost, '')
  end
  e.keep = max(e.keep, now + r.delay + e.lost)
  write(key, e, e.expires)
  return DEDUP_GO, ''
end

local function duplicate(key, e, r)
  if not is_full(key, e) then
    mark_duplicate(key, r, now + r.delay, e.name, e.identity)
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
  local of = marked(key, 'l' .. r.place)
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
    elseif here or r.named == IDENTITY_OF_MESSAGE then
      return DEDUP_DONE, e.name
    end
  end
  if call('HEXISTS', key, accepted_field(r.fresh == 0 and r.identity or '', r.place)) == 1 then
    return accept(key, e, r)
  end
  of = again and r.named == IDENTITY_OF_MESSAGE and marked(key, 'L' .. r.identity)
  if of then
    return DEDUP_DUPLICATE, of
  elseif is_taken(key, e, r) then
    return duplicate(key, e, r)
  elseif r.what == DEDUP_BEGIN and r.mode ~= DEDUP_FIRST and e.state == BEARER_WAITS then
    -- Its arrival is not remembered. The bearer may have come later, so it is not given up for this one.
    return accept(key, e, r)
  end
  return bear(key, e, r)
end

local expected

-- For how long tasks may wait for those of the queue.
local function expected_wait()
  local key = KEYS[#ARGV + 1]
  expected = expected or key and tonumber(call('GET', key) or '0') or 0
  return expected
end

-- Writes that the bearer has ended. Returns '1' if tasks may wait for that, else ''.
local function finish(key, e, state, kept)
  e.state, e.taken, e.kept = state, now, max(e.kept, kept)
  e.succeeded = state == BEARER_DONE and now or e.succeeded
  if state == BEARER_DONE or e.release == 0 then
    e.taken = max(window_end(e), e.until_done == 1 and now + e.retention or 0)
  end
  write(key, e, now + max(DEDUP_KEPT_MILLIS, e.kept > 0 and e.kept or expected_wait()))
  return e.awaited > now and '1' or ''
end

-- Whether a run is the bearer's: a record has another place after its log began anew, a message after it was returned.
local function is_bearer(e, r)
  return e.place == r.place or r.named ~= IDENTITY_OF_CONTENT and e.identity == r.identity
end

-- Returns '1' if tasks may wait for the end that was told, else ''.
local function tell(key, e, r)
  if not e and r.what == DEDUP_LATER then
    return ''
  end
  e = e or nobody() -- It was forgotten before it ended. Others may come that wait for it.
  if e.state == BEARER_AWAITED and r.what ~= DEDUP_LATER then
    e.state, e.place, e.identity, e.named, e.name = BEARER_BEGUN, r.place, r.identity, r.named, r.name
  end
  if not is_bearer(e, r) then
    if r.what ~= DEDUP_LATER then
      call('HDEL', key, accepted_field(r.identity, r.place))
    end
  elseif r.what == DEDUP_SUCCEEDED then
    return finish(key, e, BEARER_DONE, r.kept)
  elseif r.token < e.token then
    return '' -- The run had lost its claim, and the task has begun again since.
  elseif r.what == DEDUP_FAILED and e.state ~= BEARER_DONE then
    return finish(key, e, BEARER_FAILED, r.kept)
  elseif r.what == DEDUP_LATER and is_open(e) then
    e.due = now + r.delay
    write_open(key, e)
  end
  return ''
end

local reply = {REPLY_OK, now}
for i = 1, #ARGV do
  local a = unpack_list(ARGV[i])
  local r = {what = a[1], place = a[2] .. '/' .. a[3], identity = a[4], named = a[5], fresh = a[6], name = a[7],
    token = a[8], delay = a[9], mode = a[10], window = a[11], until_done = a[12], retention = a[13], release = a[14],
    lost = a[15], kept = a[16] or a[10]}
  local code, detail = DEDUP_NOTED, ''
  local entry = read(KEYS[i])
  if r.what == DEDUP_ASK or r.what == DEDUP_BEGIN then
    code, detail = ask(KEYS[i], entry, r)
  else
    detail = tell(KEYS[i], entry, r)
  end
  reply[#reply + 1] = code
  reply[#reply + 1] = detail
end
return reply
