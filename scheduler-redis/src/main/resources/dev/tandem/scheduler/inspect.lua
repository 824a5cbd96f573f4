-- Inspects a partition and changes nothing. A page costs the same however many tasks there are: it has at most
-- MAX_LISTED_TASKS tasks and ends after MAX_LISTED_BYTES of envelopes, whatever is asked for. The program checks cursors;
-- one that was made up anyway finds something else or nothing, and costs no more.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    what to inspect, then its own arguments
-- Returns   as follows
--
-- 'counts'   Returns {now, executor of the owner (false: none), epoch, lease deadline (0: released), incarnation,
--            stored commit, high-water mark, count of scheduled, retry, parked, active, dead, samples of succeeded tasks,
--            blocked keys, totals (name, number), bytes of events that are not published, those of the scheduled that are in lines,
--            ms since the first task in retry or scheduled was due (-1: none is)}
-- 'page'     ARGV 2 state (scheduled, retry, parked, active, dead, succeeded; near, far: the scheduled tasks that are not
--            far off, those that are); 3 cursor ('': from the start); 4 most tasks; 5 for dead: leaves out those that died
--            before this time in ms ('', or not given: none). Returns {next cursor ('': the end), tasks, for far: the
--            cursor behind each of them}. A page may have no tasks, and yet a next cursor
-- 'running'  ARGV 2 most tasks. Returns {tasks, progress of each ('': none)} of those that were claimed first, of about
--            SCANNED_FOR_EACH times as many claims, but of MAX_LISTED_TASKS at most. Their envelopes have neither headers
--            nor payload. After MAX_LISTED_BYTES of envelopes and notes, the others have neither envelope nor progress
-- 'earliest' ARGV 2 time in ms ('-inf': any). Returns {the earliest due time that is not before it of tasks in retry, near,
--            far (false: none)}; for far not before its minute. Some of those tasks may have gone
-- 'task'     ARGV 2 position; 3 where to go on, as the reply said ('': the first call). Returns {tasks, position, where
--            to go on, notes}: none or one task; or none yet if the place to go on is not ''. The notes are {when its
--            checkpoint was saved in ms, bytes of that (-1: there is none), progress, log lines}, or {} if there are none
-- 'offset'   ARGV 2 offset in the current incarnation. Returns the same; 'task' goes on
-- 'id'       ARGV 2 id that a publisher gave. Returns {positions, one per line; false: none}. Their tasks may have gone
-- 'key'      ARGV 2 key. Returns {its entry in `blocked` (false: open), count of parked, its head: none or one task}
-- 'lane'     ARGV 2 key; 3 most tasks. Returns {the first tasks that are parked behind the key's head}
-- 'blocked'  ARGV 2 cursor ('': from the start); 3 about how many. Returns {next cursor ('': the end), then for
--            each key: key, entry, count of parked, its head: none or one task}. Once the heads have MAX_LISTED_BYTES,
--            the others are left out
-- 'fullest'  Returns {key, entry in `blocked` (false: open), count of parked} of the key behind which the most tasks
--            are parked, or of one that has nearly as many; {} if none is parked
--
-- A task is described as in include/task_pages.
-- @include partition_keys
-- @include note_keys
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include covered_claims
-- @include envelope
-- @include lanes
-- @include blocked_keys
-- @include far_schedule
-- @include task_pages
-- @include member_order
-- @include ranks

-- Returns the task at a position, nil if nothing is known of it; and where its search goes on, nil at its end.
local function find(position, go_on)
  local claim = position ~= '' and call('HGET', CLAIMS, position)
  if claim then
    return describe(position, 'active', lease_of(position, claim), call('HGET', TASKS, position), claim)
  end
  local envelope = call('HGET', TASKS, position)
  if envelope then
    local at = call('ZSCORE', SCHEDULED, position)
    if at then
      return describe(position, 'scheduled', at, envelope)
    end
    at = call('ZSCORE', RETRY, position)
    if at then
      return describe(position, 'retry', at, envelope)
    end
    local key, member, search_on = envelope_key(envelope), nil, nil
    if key and call('HEXISTS', BLOCKED, key) == 1 then
      member, search_on = search_lane(key, position, go_on, SEARCHED_SLICES)
    end
    if search_on then
      return nil, search_on
    end
    return describe(position, member and 'parked' or 'scheduled', -1, envelope)
  end
  envelope = call('HGET', DEAD_TASKS, position)
  if envelope then
    return describe(position, 'dead', call('ZSCORE', DEAD, position) / 1000, envelope)
  end
  envelope = call('HGET', SAMPLES, position)
  if envelope then
    return describe(position, 'succeeded', call('ZSCORE', SUCCEEDED, position) / 1000, envelope)
  end
end

local function notes_of(position)
  local checkpoint, progress = call('HGET', CHECKPOINTS, position), call('HGET', PROGRESS, position)
  if not checkpoint and not progress then
    return {}
  end
  local notes = progress and cmsgpack.unpack(sub(progress, 8)) or {''}
  table.insert(notes, 1, checkpoint and unpack_one('>I6', checkpoint, 2) or 0)
  table.insert(notes, 2, checkpoint and #checkpoint - 7 or -1)
  return notes
end

local function found(position, go_on)
  local task, search_on = find(position, go_on)
  return {{task}, position, search_on or '', task and notes_of(position) or {}}
end

local function overdue()
  local longest = -1
  for _, set in ipairs({RETRY, SCHEDULED}) do
    local first = call('ZRANGE', set, 0, 0, 'WITHSCORES')[2]
    longest = math.max(longest, first and now - first or -1)
  end
  return longest
end

local function counts()
  local owner = call('HMGET', OWNER, 'executor', 'epoch', 'lease', 'incarnation', 'mirror', 'highwater', 'released',
    EVENT_BYTES_FIELD)
  local lease = owner[7] ~= '1' and tonumber(owner[3] or '0') or 0
  return {now, owner[1], tonumber(owner[2] or '0'), lease, tonumber(owner[4] or '0'),
    tonumber(owner[5] or '-1'), tonumber(owner[6] or '0'),
    call('ZCARD', SCHEDULED) + tonumber(call('HGET', LATER, 'count') or '0'), call('ZCARD', RETRY),
    call('ZCARD', LANES), math.max(0, call('HLEN', CLAIMS) - 1), call('ZCARD', DEAD), call('ZCARD', SUCCEEDED),
    call('HLEN', BLOCKED), call('HGETALL', STATS), tonumber(owner[8] or '0'),
    call('ZCOUNT', SCHEDULED, FIRST_PLACE, '+inf'), overdue()}
end

-- Sorted sets of tasks: the set, where the envelopes are, newest first, units of the score in a millisecond.
local SETS = {
  scheduled = {SCHEDULED, TASKS, false, 1}, near = {SCHEDULED, TASKS, false, 1}, retry = {RETRY, TASKS, false, 1},
  dead = {DEAD, DEAD_TASKS, true, 1000}, succeeded = {SUCCEEDED, SAMPLES, true, 1000}}

-- Fills a page out of a state's sorted set. Of a list that has the newest first, it leaves out those before a time in ms
-- ('': none). Returns whether there may be more.
local function add_sorted(page, state, cursor, max_tasks, since)
  local set, envelopes, newest_first, units = unpack(SETS[state])
  local rank = rank_behind(set, cursor, newest_first)
  if not rank then
    return false
  end
  local last = rank + max_tasks - 1
  if newest_first and since ~= '' then
    last = math.min(last, call('ZCOUNT', set, format('%.0f', since * units), '+inf') - 1)
    if last < rank then
      return false
    end
  end
  local members = call(newest_first and 'ZREVRANGE' or 'ZRANGE', set, rank, last, 'WITHSCORES')
  local batch = {positions = {}, times = {}, cursors = {}}
  for i = 1, #members, 2 do
    local n, score = #batch.positions + 1, members[i + 1]
    batch.positions[n], batch.times[n], batch.cursors[n] = members[i], score / units, score .. ' ' .. members[i]
  end
  return page.add(batch, envelopes) < #batch.positions or #members == 2 * max_tasks
end

local function list_page(state, cursor, max_tasks, since)
  local page = new_page((state == 'near' or state == 'far') and 'scheduled' or state, max_tasks, MAX_LISTED_BYTES)
  local far_cursor = (state == 'scheduled' or state == 'far') and string.match(cursor, '^later (.*)$')
  if state == 'far' then
    return {add_far_off(page, far_cursor or '', MAX_LISTED_FAR_TASKS), page.tasks, page.cursors}
  elseif not far_cursor then
    local more
    if state == 'parked' then
      more = add_parked(page, cursor, max_tasks)
    elseif state == 'active' then
      more = add_active(page, cursor, false)
    else
      more = add_sorted(page, state, cursor, max_tasks, since)
    end
    if more or state ~= 'scheduled' then
      return {more and page.cursor or '', page.tasks}
    end
  end
  -- Behind the tasks of `scheduled` come the far-off ones.
  return {add_far_off(page, far_cursor or '', MAX_LISTED_FAR_TASKS), page.tasks}
end

-- Returns an envelope without its headers and payload.
local function head_of_envelope(envelope)
  local flags, at, to = byte(envelope, 2), envelope_token(envelope) and 11 or 3, nil
  local function skip_number()
    while byte(envelope, at) >= 128 do
      at = at + 1
    end
    at = at + 1
  end
  local function skip_text()
    to, at = envelope_text(envelope, at)
  end
  local function skip(flag, ...)
    if flags % (2 * flag) >= flag then
      for _, item in ipairs({...}) do
        item()
      end
    end
  end
  skip(2, skip_text)
  skip(4, skip_text)
  skip(8, skip_text)
  skip(16, skip_number, skip_number)
  skip(32, skip_number, skip_number, skip_text)
  skip(64, skip_number, skip_text)
  return sub(envelope, 1, 1) .. string.char(flags % 128) .. sub(envelope, 3, at - 1)
end

-- Returns the first item of the list of notes. The lines behind it may be long, and are not unpacked.
local function progress_of(notes)
  local kind = byte(notes, 8)
  local _, progress = cmsgpack.unpack_one(notes, kind == 0xdc and 10 or kind == 0xdd and 12 or 8)
  return progress
end

-- Returns the positions of the claims that were made first, in this order, and their claims by position. Keeps only these while
-- it looks at all: to sort all would take longer than to read them.
local function first_claimed(max_tasks)
  local first, claims, times, cursor = {}, {}, {}, '0'
  local function precedes(time, position, other)
    return time < times[other] or time == times[other] and position < other
  end
  local function look_at(position, claim)
    local time = position ~= '' and not claims[position] and unpack_one('>I6', claim, 2)
    if time and (#first < max_tasks or precedes(time, position, first[#first])) then
      local from, to = 1, #first + 1
      while from < to do
        local middle = floor((from + to) / 2)
        if precedes(time, position, first[middle]) then
          to = middle
        else
          from = middle + 1
        end
      end
      table.insert(first, from, position)
      claims[position], times[position] = claim, time
      first[max_tasks + 1] = nil
    end
  end
  -- One `HSCAN` usually suffices. A hash that has just shrunk may need several.
  for _ = 1, MAX_CLAIM_SCANS do
    local scanned = call('HSCAN', CLAIMS, cursor, 'COUNT', math.min(MAX_LISTED_TASKS, SCANNED_FOR_EACH * max_tasks))
    for i = 1, #scanned[2], 2 do
      look_at(scanned[2][i], scanned[2][i + 1])
    end
    cursor = scanned[1]
    if cursor == '0' or #first == max_tasks then
      break
    end
  end
  return first, claims
end

local function running(max_tasks)
  local positions, claim_of = first_claimed(max_tasks)
  local batch, claims, heads, tasks, notes, bytes = {positions = positions, times = {}}, {}, {}, {}, {}, 0
  for from = 1, #positions, DESCRIBED_SLICE do
    local to = math.min(#positions, from + DESCRIBED_SLICE - 1)
    for i = from, to do
      local position, envelope, noted = positions[i], nil, nil
      if bytes < MAX_LISTED_BYTES then
        envelope, noted = call('HGET', TASKS, position), has_any(PROGRESS) and call('HGET', PROGRESS, position)
      end
      claims[i] = claim_of[position]
      batch.times[i] = lease_of(position, claims[i])
      heads[i] = envelope and head_of_envelope(envelope)
      notes[i] = noted and progress_of(noted) or ''
      bytes = bytes + #(envelope or '') + #(noted or '')
    end
    describe_slice(tasks, 'active', batch, heads, claims, from, to)
  end
  return {tasks, notes}
end

local function earliest_times(since)
  local function earliest(set, from)
    return call('ZRANGEBYSCORE', set, from, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2] or false
  end
  local minute = since == '-inf' and since or format('%.0f', floor(since / 60000) * 60000)
  return {earliest(RETRY, since), earliest(SCHEDULED, since), earliest(MINUTES, minute)}
end

local function blocked_key(key)
  local entry = call('HGET', BLOCKED, key)
  return {entry, lane_size(key), {entry and find(head_of(entry), '') or nil}}
end

local function blocked_keys(cursor, count)
  local found_keys, bytes = call('HSCAN', BLOCKED, cursor == '' and '0' or cursor, 'COUNT', count), 0
  local listed = {found_keys[1] == '0' and '' or found_keys[1]}
  for i = 1, #found_keys[2], 2 do
    local key, entry, n = found_keys[2][i], found_keys[2][i + 1], #listed
    local head = bytes < MAX_LISTED_BYTES and find(head_of(entry), '') or nil
    bytes = bytes + #(head and head[5] or '')
    listed[n + 1], listed[n + 2], listed[n + 3], listed[n + 4] = key, entry, lane_size(key), {head}
  end
  return listed
end

local function lane(key, max_tasks)
  local page, prefix = new_page('parked', max_tasks, MAX_LISTED_BYTES), lane_prefix(key)
  local members = call('ZRANGEBYLEX', LANES, '[' .. prefix, '(' .. prefix .. '\255', 'LIMIT', 0, max_tasks)
  local positions, times = {}, {}
  for i, member in ipairs(members) do
    positions[i], times[i] = sub(member, #prefix + 9), -1
  end
  page.add({positions = positions, times = times, cursors = members}, TASKS)
  return {page.tasks}
end

-- Looks at members at equal distances. So it meets every lane that holds more than one part in SAMPLED_LANES of all.
local function fullest_lane()
  local parked, fullest, most, seen = call('ZCARD', LANES), nil, 0, {}
  for i = 0, SAMPLED_LANES - 1 do
    local rank = floor(i * parked / SAMPLED_LANES)
    local member = call('ZRANGE', LANES, rank, rank)[1]
    local key = member and key_of_member(member)
    if key and not seen[key] then
      seen[key] = true
      local size = lane_size(key)
      if size > most then
        fullest, most = key, size
      end
    end
  end
  return fullest and {fullest, call('HGET', BLOCKED, fullest), most} or {}
end

local what = ARGV[1]
if what == 'counts' then
  return counts()
elseif what == 'page' then
  return list_page(ARGV[2], ARGV[3], math.min(tonumber(ARGV[4]), MAX_LISTED_TASKS), ARGV[5] or '')
elseif what == 'running' then
  return running(math.min(tonumber(ARGV[2]), MAX_LISTED_TASKS))
elseif what == 'earliest' then
  return earliest_times(ARGV[2])
elseif what == 'task' then
  return found(ARGV[2], ARGV[3])
elseif what == 'offset' then
  return found((call('HGET', OWNER, 'incarnation') or '0') .. ':' .. ARGV[2], '')
elseif what == 'id' then
  return {call('HGET', INDEX, ARGV[2])}
elseif what == 'key' then
  return blocked_key(ARGV[2])
elseif what == 'lane' then
  return lane(ARGV[2], math.min(tonumber(ARGV[3]), MAX_LISTED_TASKS))
elseif what == 'blocked' then
  return blocked_keys(ARGV[2], math.min(tonumber(ARGV[3]), MAX_LISTED_KEYS))
elseif what == 'fullest' then
  return fullest_lane()
end
return redis.error_reply('ERR unknown inspection ' .. what)
