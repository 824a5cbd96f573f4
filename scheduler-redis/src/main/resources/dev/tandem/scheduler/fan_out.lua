-- Keeps fan-outs. Each request is about one of them, and may be repeated: its subtasks are bits.
--
-- KEYS 1    due: sorted set of the fan-outs that somebody has to look at, by the time from which on, ms
-- KEYS 2    open: sorted set of those that have not finished, by when they began, ms
-- KEYS 3    ended: sorted set of those that have, by when they did, ms
-- KEYS 4    masters: sorted set of all of these by their masters, numbers made of the ids that fan-outs without a name have
-- KEYS 5    kept: sorted set of those that have ended, by until when they are kept, ms
-- KEYS 6    caller: string, the number of the caller's last call
-- then      for each request: the fan-out; the bits of its subtasks that have ended, failed, and were cancelled; and a hash of those
--           that have fanned out themselves and have not ended, by number, with their own fan-outs
-- ARGV 1    number of this call; 0 if the caller does not number its calls
-- ARGV 2    number of an earlier call that was answered; 0 if there is none
-- then      for each request, MessagePack of a list: FAN_OUT_... (what is asked or told), id, and
--           FAN_OUT_OPEN:     token, most open ones, number of the master, names and values of the plan: queue, master, and others
--           FAN_OUT_NOTE:     token, how many subtasks are published, 1 if the bits behind them are wanted, else 0
--           FAN_OUT_SEAL:     token, how many subtasks there are
--           FAN_OUT_ABANDON:  token of the last known run, why, 1 if somebody cancelled the master, else 0, and how the master
--                             ended: FAN_OUT_SUCCEEDED/FAILED/CANCELLED
--           FAN_OUT_CANCEL, FAN_OUT_END: why
--           FAN_OUT_TELL:     for each subtask: number, FAN_OUT_SUCCEEDED/FAILED/CANCELLED, error, and the id of its own
--                             fan-out if this is the end of that, else ''
--           FAN_OUT_ASK:      number
--           FAN_OUT_NEST:     number, id of its own fan-out, 1 if an operator had the subtask run again, else 0; without that it may
--                             fan out whenever it has not succeeded
--           FAN_OUT_BEGIN:    identity of a final task, its name
--           FAN_OUT_CLAIM:    who claims, ms
--           FAN_OUT_POSTPONE: ms
--           FAN_OUT_WITHIN:   where a page begins, '0' for the first
-- Returns   {REPLY_GAP, number of the caller's last call} if the earlier one is forgotten: nothing is applied
--           {REPLY_OK, and for each request: {ANSWER_..., STOP_..., published, total (-1: not known), bits, text, record, 1 if
--           somebody cancelled it, else 0}}. The record is empty, or: ended, failed, cancelled, names and values of all fields.
--           The text is, with ANSWER_RESUMED: the number behind the last subtask that has ended; with ANSWER_DUPLICATE: the other
--           final task, or the other copy's own fan-out; to FAN_OUT_TELL: number=id of subtasks that end with their own fan-outs, a
--           comma behind each; to FAN_OUT_WITHIN: where the next page begins ('0': there is none), and ids, with spaces in between
--
-- A fan-out is a hash: the plan, and phase, token, cursor, total, stop, why, cancelled and abandoned (1 also if it was stopped
-- before), awaits-master (1: its master is a subtask that has not ended), master-end and master-why (if that failed or was cancelled
-- behind the stream), since, ended-at, finished, tries, forgot (1: notes of its master are forgotten), claimed-by, claimed-until, begun-by, begun-name, and
-- errors (a line for each: number, a space, error).
local call, unpack_list, floor = redis.call, cmsgpack.unpack, math.floor
local DUE, OPEN, ENDED, MASTERS, KEPT, CALLER = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local CALL, KNOWN = tonumber(ARGV[1]), tonumber(ARGV[2])
local FIRST_KEY, FIRST_ARGUMENT, KEYS_OF_EACH = 7, 3, 5
-- Where in the list of a request its fields begin, and the plan of one that opens.
local FIRST_FIELD, PLAN = 3, 6
local UNCOUNTED = 'more subtasks were published than are counted'
local time = call('TIME')
local now = time[1] * 1000 + floor(time[2] / 1000)
local last = CALL > 0 and tonumber(call('GET', CALLER) or '0') or 0
if last < KNOWN then
  return {REPLY_GAP, last}
end
call('HDEL', KEYS[FIRST_KEY], '') -- After a removal, Redis lets ends be told even when memory is full.

local function number_text(number)
  return string.format('%.0f', number)
end

-- The number of subtasks below a bound whose bit is set.
local function count(bits, bound)
  local whole = floor(bound / 8)
  local set = whole > 0 and call('BITCOUNT', bits, 0, whole - 1) or 0
  for i = whole * 8, bound - 1 do
    set = set + call('GETBIT', bits, i)
  end
  return set
end

local function read(key)
  local h = call('HMGET', key, 'phase', 'token', 'cursor', 'total', 'stop', 'rule', 'may-fail', 'keep',
    'cancelled', 'awaits-master')
  if not h[1] then
    return nil
  end
  return {phase = tonumber(h[1]), token = h[2], cursor = tonumber(h[3]), total = tonumber(h[4]), stop = tonumber(h[5]),
    rule = h[6], may_fail = tonumber(h[7]), keep = tonumber(h[8]),
    is_cancelled = h[9] == '1' or tonumber(h[5]) == STOP_CANCELLED, awaits_master = h[10] == '1'}
end

local function look_at(id, at)
  call('ZADD', DUE, number_text(at), id)
end

-- Whether all subtasks have ended, and nobody sees to what follows.
local function is_free(k, f)
  local h = call('HMGET', k.fan_out, 'finished', 'claimed-until')
  return f.phase == PHASE_COMPLETE and h[1] ~= '1' and tonumber(h[2] or '0') <= now
end

-- What is answered if the stream, or all subtasks, have ended already.
local function closed(k, f)
  return is_free(k, f) and ANSWER_COMPLETE or ANSWER_CLOSED
end

-- Keeps a fan-out that has ended, and its ids in the lists, from now on for as long as its plan says.
local function keep_on(k, id, f)
  for _, key in pairs(k) do
    call('PEXPIRE', key, number_text(f.keep))
  end
  call('ZADD', KEPT, number_text(now + f.keep), id)
  call('ZADD', ENDED, 'NX', number_text(now), id) -- An earlier version may have forgotten it.
end

-- Forgets ids of what is kept no more, the oldest first. Each end forgets more than it adds, so nothing piles up.
local function forget_ended()
  local gone = call('ZRANGEBYSCORE', KEPT, '-inf', '(' .. number_text(now), 'LIMIT', 0, FAN_OUT_PAGE)
  for _, list in ipairs(gone[1] and {ENDED, MASTERS, KEPT} or {}) do
    call('ZREM', list, unpack(gone))
  end
end

-- Looks at one id of a list. An earlier version does not note until when it is kept: then it is for as long as one that ends now.
local function look_at_one(list, keep)
  local size = call('ZCARD', list)
  local at = size > 0 and now % size or 0
  local id = call('ZRANGE', list, at, at)[1]
  if id and not call('ZSCORE', OPEN, id) then
    call('ZADD', KEPT, 'NX', number_text(now + keep), id)
  end
end

local function finish(k, id, f)
  call('HSET', k.fan_out, 'finished', '1')
  call('ZREM', DUE, id)
  call('ZREM', OPEN, id)
  keep_on(k, id, f)
  forget_ended()
  look_at_one(ENDED, f.keep)
  look_at_one(MASTERS, f.keep)
  return ANSWER_OK
end

local function too_many_failed(k, f)
  if f.stop ~= STOP_NO or f.rule == RULE_COMPLETE or f.rule == RULE_PARTIAL and f.phase == PHASE_OPEN then
    return false
  end
  local failed = call('BITCOUNT', k.failed) + call('BITCOUNT', k.cancelled)
  return failed > (f.rule == RULE_PARTIAL and floor(f.may_fail * f.total) or 0)
end

-- Notes that all subtasks have ended, or are given up.
local function complete(k, id, f)
  f.phase = PHASE_COMPLETE
  call('HSET', k.fan_out, 'phase', PHASE_COMPLETE, 'ended-at', number_text(now))
  local after = call('HMGET', k.fan_out, 'final-queue', 'parent')
  if after[1] == '' and after[2] == '' then
    return finish(k, id, f)
  end
  look_at(id, now + FAN_OUT_CLAIM_MILLIS)
  return ANSWER_COMPLETE
end

-- Draws the consequences of a change. Returns ANSWER_COMPLETE if all subtasks have ended now, and the master that is awaited.
local function judge(k, id, f)
  if too_many_failed(k, f) then
    f.stop = STOP_FAILED
    call('HSET', k.fan_out, 'stop', STOP_FAILED)
  end
  if f.phase ~= PHASE_SEALED or count(k.ended, f.total) < f.total then
    return ANSWER_OK
  elseif f.awaits_master then
    look_at(id, now + FAN_OUT_SILENT_MILLIS) -- The end of its master may have been forgotten.
    return ANSWER_OK
  end
  return complete(k, id, f)
end

-- Returns the number behind the last subtask that has ended. The last byte of its bits is not 0.
local function reach(k)
  local length, trailing = call('STRLEN', k.ended), 0
  local last = length > 0 and string.byte(call('GETRANGE', k.ended, -1, -1)) or 1
  while last % 2 == 0 do
    last, trailing = last / 2, trailing + 1
  end
  return length * 8 - trailing
end

-- Says in the result of a stopped fan-out that more was published than it counts, as far as that is known.
local function note_uncounted(k, f, total)
  if f.stop == STOP_NO or reach(k) <= total and call('HEXISTS', k.fan_out, 'forgot') == 0 then
    return
  end
  local why = call('HGET', k.fan_out, 'why') or ''
  call('HSET', k.fan_out, 'why', why .. (why == '' and '' or '; ') .. UNCOUNTED)
end

local function seal(k, id, f, total)
  note_uncounted(k, f, total)
  f.phase, f.total, f.cursor = PHASE_SEALED, total, total
  call('HSET', k.fan_out, 'phase', PHASE_SEALED, 'total', total, 'cursor', total)
  call('ZREM', DUE, id)
  return judge(k, id, f)
end

-- The bits of the subtasks that may be published and are not noted.
local function bits_of_window(k, f)
  local from = floor(f.cursor / 8)
  return call('GETRANGE', k.ended, from, from + FAN_OUT_WINDOW / 8)
end

local function open(k, id, f, a)
  local token, most_open, master, master_field, master_id = a[3], a[4], a[5], a[8], a[9]
  if not f then
    if call('ZCARD', OPEN) >= most_open then
      return ANSWER_NO_ROOM
    end
    call('HSET', k.fan_out, 'phase', PHASE_OPEN, 'token', token, 'cursor', '0', 'total', '-1', 'stop', STOP_NO, 'since',
      number_text(now), unpack(a, PLAN))
    call('ZADD', OPEN, number_text(now), id)
    call('ZREM', ENDED, id) -- It was forgotten, and begins anew.
    call('ZREM', KEPT, id)
    call('ZADD', MASTERS, number_text(master), id)
    look_at(id, now + FAN_OUT_SILENT_MILLIS)
    return ANSWER_OK
  end
  local is_finished = call('HGET', k.fan_out, 'finished') == '1'
  local is_fenced = f.phase == PHASE_OPEN or f.awaits_master and not is_finished
  if is_fenced and token < f.token then
    return ANSWER_FENCED
  end
  call('ZADD', MASTERS, number_text(master), id) -- Whoever began it may have been of an earlier version.
  if is_finished then
    keep_on(k, id, f) -- Its master runs again, and may do so later.
    return ANSWER_CLOSED
  elseif is_fenced then
    call('HSET', k.fan_out, 'token', token, master_field, master_id) -- From now on the end of an earlier run does not count.
  end
  if f.phase ~= PHASE_OPEN then
    return ANSWER_CLOSED
  end
  look_at(id, now + FAN_OUT_SILENT_MILLIS)
  local ended_below = reach(k)
  if ended_below > f.cursor + FAN_OUT_WINDOW then
    call('HSET', k.fan_out, 'forgot', '1') -- Notes of an earlier run, which was not so far beyond what it had noted.
  end
  return ANSWER_RESUMED, bits_of_window(k, f), number_text(ended_below)
end

local function from_writer(k, id, f, a)
  local what, token, published, wants_bits = a[1], a[3], a[4], a[5]
  if f.phase ~= PHASE_OPEN then
    return closed(k, f)
  elseif token ~= f.token then
    return ANSWER_FENCED
  elseif what == FAN_OUT_NOTE then
    f.cursor = published
    call('HSET', k.fan_out, 'cursor', published)
    look_at(id, now + FAN_OUT_SILENT_MILLIS)
    return ANSWER_OK, wants_bits == 1 and bits_of_window(k, f) or ''
  elseif f.stop == STOP_NO and count(k.ended, f.cursor + FAN_OUT_WINDOW) > count(k.ended, published) then
    -- Numbers beyond the window are of no run of this master, so they do not keep it from its seal.
    return ANSWER_NOT_REPEATABLE
  end
  return seal(k, id, f, published)
end

local function stop(k, id, f, code, why)
  if f.stop == STOP_NO then
    f.stop = code
    call('HSET', k.fan_out, 'stop', code, 'why', why)
  end
end

-- The stream had ended before, and goes on.
local function master_ended(k, id, f, how, why)
  if f.phase == PHASE_COMPLETE then
    return closed(k, f)
  elseif how ~= FAN_OUT_SUCCEEDED then
    call('HSET', k.fan_out, 'master-end', how, 'master-why', why)
  end
  return judge(k, id, f) == ANSWER_COMPLETE and ANSWER_COMPLETE or ANSWER_CLOSED
end

-- One that is stopped already keeps its reason, for its result. Those of its subtasks that run are interrupted all the same.
local function note_cancelled(k, id, f, why)
  stop(k, id, f, STOP_CANCELLED, why)
  f.is_cancelled = true
  call('HSET', k.fan_out, 'cancelled', '1')
end

-- An abandonment is followed by a cancellation, so a request that comes again, since its answer was lost, is answered as the first one.
-- If he dies before that, a patrol has to cancel what is within.
local function abandon(k, id, f, a)
  local token, why, is_cancelled, master_end = a[3], a[4], a[5] == 1, a[6]
  local code, awaited = ANSWER_OK, f.awaits_master
  if (f.phase == PHASE_OPEN or awaited) and token < f.token then
    return ANSWER_FENCED
  elseif awaited then
    f.awaits_master = false
    call('HSET', k.fan_out, 'awaits-master', '0')
  end
  if f.phase == PHASE_OPEN then
    stop(k, id, f, STOP_ABANDONED, why)
    call('HSET', k.fan_out, 'abandoned', '1')
    code = seal(k, id, f, f.cursor)
  elseif call('HGET', k.fan_out, 'abandoned') ~= '1' then
    return master_ended(k, id, f, awaited and master_end or FAN_OUT_SUCCEEDED, why)
  elseif awaited and f.phase == PHASE_SEALED then
    code = judge(k, id, f) -- An earlier version gave it up, and does not know that it waits.
  end
  if is_cancelled and f.phase == PHASE_SEALED then
    note_cancelled(k, id, f, why)
    look_at(id, now + FAN_OUT_CLAIM_MILLIS)
  end
  return code
end

local function cancel(k, id, f, why)
  if f.phase == PHASE_COMPLETE then
    return ANSWER_CLOSED
  end
  note_cancelled(k, id, f, why)
  return judge(k, id, f)
end

-- Ends a fan-out by an operator. What has not ended by then does not count any more.
local function give_up(k, id, f, why)
  if f.phase == PHASE_COMPLETE then
    return closed(k, f)
  end
  note_cancelled(k, id, f, why)
  if f.phase == PHASE_OPEN then
    f.total = f.cursor
    note_uncounted(k, f, f.total)
    call('HSET', k.fan_out, 'total', f.total)
  end
  return complete(k, id, f)
end

local function add_error(k, number, text)
  local errors = call('HGET', k.fan_out, 'errors') or ''
  local _, lines = string.gsub(errors, '\n', '')
  if lines < FAN_OUT_MAX_ERRORS then
    call('HSET', k.fan_out, 'errors', errors .. number_text(number) .. ' ' .. text .. '\n')
  end
end

local function tell(k, id, f, a)
  if f.phase == PHASE_COMPLETE then
    return closed(k, f)
  end
  local any_nested, nested = call('EXISTS', k.inner) == 1, ''
  for i = FIRST_FIELD, #a, 4 do
    local number, how, why, own = a[i], a[i + 1], a[i + 2], a[i + 3]
    local exists = f.phase == PHASE_OPEN or number < f.total
    local inner = any_nested and call('HGET', k.inner, number_text(number))
    if inner and inner == own then
      call('HDEL', k.inner, number_text(number))
      inner = false
    end
    if inner then -- The end of a copy's fan-out does not count.
      nested = own == '' and nested .. number_text(number) .. '=' .. inner .. ',' or nested
    elseif exists and call('SETBIT', k.ended, number, 1) == 0 and how ~= FAN_OUT_SUCCEEDED then
      call('SETBIT', how == FAN_OUT_FAILED and k.failed or k.cancelled, number, 1)
      if how == FAN_OUT_FAILED then
        add_error(k, number, why)
      end
    end
  end
  return judge(k, id, f), nested
end

-- One that failed or was cancelled is no copy: somebody may have it retried.
local function ask(k, number)
  if call('GETBIT', k.failed, number) == 1 then
    return ANSWER_HAS_FAILED
  end
  local succeeded = call('GETBIT', k.ended, number) == 1 and call('GETBIT', k.cancelled, number) == 0
  return succeeded and ANSWER_DUPLICATE or ANSWER_OK
end

-- Of copies, the first has the place. One that comes when that has ended is answered without a name.
local function nest(k, f, a)
  local number, own, was_retried = a[3], a[4], a[5] ~= 0
  local field = number_text(number)
  local inner, before = call('HGET', k.inner, field), ask(k, number)
  if inner and inner ~= own then
    return ANSWER_DUPLICATE, inner
  elseif before == ANSWER_DUPLICATE then
    return before
  elseif not was_retried and not inner and call('GETBIT', k.ended, number) == 1 then
    return before == ANSWER_HAS_FAILED and before or ANSWER_DUPLICATE
  elseif f.phase == PHASE_COMPLETE then
    return ANSWER_CLOSED -- What is kept of it expires, and this would be a new key.
  end
  call('HSET', k.inner, field, own)
  return ANSWER_OK
end

local function begin(k, a)
  local identity, name = a[3], a[4]
  local by = call('HGET', k.fan_out, 'begun-by')
  if by and by ~= identity then
    return ANSWER_DUPLICATE, call('HGET', k.fan_out, 'begun-name')
  end
  call('HSET', k.fan_out, 'begun-by', identity, 'begun-name', name)
  return ANSWER_OK
end

-- A claim may be repeated by who made it, because its answer was lost.
local function claim(k, id, f, a)
  local claimer, millis = a[3], a[4]
  local h = call('HMGET', k.fan_out, 'finished', 'claimed-by')
  local again = h[1] ~= '1' and h[2] == claimer
  if not again then
    if not is_free(k, f) then
      return ANSWER_CLOSED
    end
    call('HINCRBY', k.fan_out, 'tries', 1)
  end
  call('HSET', k.fan_out, 'claimed-by', claimer, 'claimed-until', number_text(now + millis))
  look_at(id, now + millis)
  return ANSWER_OK
end

local function within(k, cursor)
  local page = call('HSCAN', k.inner, cursor, 'COUNT', FAN_OUT_PAGE)
  local text = page[1]
  for i = 2, #page[2], 2 do
    text = text .. ' ' .. page[2][i]
  end
  return ANSWER_OK, text
end

local function record(k, f)
  local bound = f.phase == PHASE_OPEN and call('STRLEN', k.ended) * 8 or f.total
  return {count(k.ended, bound), count(k.failed, bound), count(k.cancelled, bound), call('HGETALL', k.fan_out)}
end

-- The list of a request has what is asked, the id, and its fields. Each function names those that it takes.
local function answer(k, id, f, a)
  local what, first = a[1], a[FIRST_FIELD]
  if what == FAN_OUT_OPEN then
    return open(k, id, f, a)
  elseif not f then
    return ANSWER_UNKNOWN
  elseif what == FAN_OUT_TELL then
    return tell(k, id, f, a)
  elseif what == FAN_OUT_NOTE or what == FAN_OUT_SEAL then
    return from_writer(k, id, f, a)
  elseif what == FAN_OUT_ABANDON then
    return abandon(k, id, f, a)
  elseif what == FAN_OUT_CANCEL then
    return cancel(k, id, f, first)
  elseif what == FAN_OUT_END then
    return give_up(k, id, f, first)
  elseif what == FAN_OUT_NEST then
    return nest(k, f, a)
  elseif what == FAN_OUT_ASK then
    return ask(k, first)
  elseif what == FAN_OUT_BEGIN then
    return begin(k, a)
  elseif what == FAN_OUT_CLAIM then
    return claim(k, id, f, a)
  elseif what == FAN_OUT_FINISH then
    return f.phase == PHASE_COMPLETE and finish(k, id, f) or ANSWER_CLOSED
  elseif what == FAN_OUT_WITHIN then
    return within(k, first)
  elseif what == FAN_OUT_POSTPONE then
    -- The caller may not know yet that it is COMPLETE: then its final task must not wait for long.
    local most = f.phase == PHASE_COMPLETE and FAN_OUT_CLAIM_MILLIS or math.huge
    call('ZADD', DUE, 'XX', number_text(now + math.min(first, most)), id)
  end
  return ANSWER_OK
end

if CALL > 0 then
  call('SET', CALLER, number_text(math.max(last, CALL)), 'PX', FAN_OUT_CALLER_MILLIS)
end
local reply = {REPLY_OK}
for i = 1, #ARGV - FIRST_ARGUMENT + 1 do
  local at = FIRST_KEY + KEYS_OF_EACH * (i - 1)
  local k = {fan_out = KEYS[at], ended = KEYS[at + 1], failed = KEYS[at + 2], cancelled = KEYS[at + 3],
    inner = KEYS[at + 4]}
  local a = unpack_list(ARGV[FIRST_ARGUMENT + i - 1])
  local what, id, f = a[1], a[2], read(k.fan_out)
  local code, detail, more = answer(k, id, f, a)
  f = f or {stop = STOP_NO, cursor = 0, total = -1}
  local shows = code == ANSWER_OK and (what == FAN_OUT_VIEW or what == FAN_OUT_CLAIM)
  local is_bits = code == ANSWER_RESUMED or what == FAN_OUT_NOTE
  reply[i + 1] = {code, f.stop, f.cursor, f.total, is_bits and detail or '', is_bits and more or not is_bits and detail or '',
    shows and record(k, f) or {}, f.is_cancelled and 1 or 0}
end
return reply
