-- Inspects a partition and changes nothing. A page costs the same however many tasks there are.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    what to inspect, then its own arguments
-- Returns   as follows
--
-- 'counts'   Returns {now, executor of the owner (false: none), epoch, lease deadline (0: released), incarnation,
--            stored commit, high-water mark, count of scheduled, retry, parked, active, dead, succeeded samples,
--            blocked keys, totals (name, number)}
-- 'page'     ARGV 2 state (scheduled, retry, parked, active, dead, succeeded); 3 cursor ('': from the start); 4 most
--            tasks; 5 most bytes. Returns {next cursor ('': the end), tasks}
-- 'task'     ARGV 2 position. Returns {tasks}: none or one
-- 'offset'   ARGV 2 offset in the current incarnation. Returns the same
-- 'id'       ARGV 2 id that a publisher gave. Returns {tasks}
-- 'key'      ARGV 2 key. Returns {its entry in `blocked` (false: open), count of parked}
-- 'blocked'  ARGV 2 cursor ('': from the start); 3 about how many. Returns {next cursor ('': the end), then for
--            each key: key, entry, count of parked}
--
-- A task is {position, state, time in ms (when due, or ended, or when its lease ends; -1: none), lapses, envelope
-- (false: the broker has it), claim (false: none)}.
-- @include partition_keys
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include envelope
-- @include lanes
-- @include blocked_keys
-- @include far_schedule

local function describe(position, state, at, envelope)
  local claim = state == 'active' and call('HGET', CLAIMS, position)
  return {position, state, floor(tonumber(at)), tonumber(call('HGET', ATTEMPTS, position) or '0'), envelope, claim}
end

-- Returns the task at a position; nil if nothing is known of it.
local function find(position)
  local at = call('ZSCORE', INFLIGHT, position)
  if at then
    return describe(position, 'active', at, call('HGET', TASKS, position))
  end
  local envelope = call('HGET', TASKS, position)
  if envelope then
    at = call('ZSCORE', SCHEDULED, position)
    if at then
      return describe(position, 'scheduled', at, envelope)
    end
    at = call('ZSCORE', RETRY, position)
    if at then
      return describe(position, 'retry', at, envelope)
    end
    return describe(position, in_lane(envelope_key(envelope), position) and 'parked' or 'scheduled', -1, envelope)
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

local function counts()
  local owner = call('HMGET', OWNER, 'executor', 'epoch', 'lease', 'incarnation', 'mirror', 'highwater', 'released')
  local lease = owner[7] ~= '1' and tonumber(owner[3] or '0') or 0
  return {now, owner[1], tonumber(owner[2] or '0'), lease, tonumber(owner[4] or '0'),
    tonumber(owner[5] or '-1'), tonumber(owner[6] or '0'),
    call('ZCARD', SCHEDULED) + tonumber(call('HGET', LATER, 'count') or '0'), call('ZCARD', RETRY),
    call('ZCARD', LANES), math.max(0, call('HLEN', CLAIMS) - 1), call('ZCARD', DEAD), call('ZCARD', SUCCEEDED),
    call('HLEN', BLOCKED), call('HGETALL', STATS)}
end

-- Sorted sets of tasks: the set, where the envelopes are, newest first, units of the score in a millisecond.
local SETS = {
  scheduled = {SCHEDULED, TASKS, false, 1}, retry = {RETRY, TASKS, false, 1}, active = {INFLIGHT, TASKS, false, 1},
  dead = {DEAD, DEAD_TASKS, true, 1000}, succeeded = {SUCCEEDED, SAMPLES, true, 1000}}

-- Returns the rank after the cursor, which is a score, a blank and a member. The member may have gone since.
local function rank_after(set, cursor, newest_first)
  if cursor == '' then
    return 0
  end
  local score, member = string.match(cursor, '^(%S+) (.*)$')
  local rank = call(newest_first and 'ZREVRANK' or 'ZRANK', set, member)
  if rank then
    return rank + 1
  end
  return newest_first and call('ZCOUNT', set, '(' .. score, '+inf') or call('ZCOUNT', set, '-inf', '(' .. score)
end

-- A page of one state that grows task by task, up to its bounds.
local function new_page(state, max_tasks, max_bytes)
  local page = {tasks = {}, cursor = '', bytes = 0}

  -- Adds a task; the cursor points behind it. Returns whether the page has room for more bytes.
  function page.add(position, at, envelopes, cursor)
    local envelope = call('HGET', envelopes, position)
    page.tasks[#page.tasks + 1] = describe(position, state, at, envelope)
    page.bytes = page.bytes + #(envelope or '')
    page.cursor = cursor
    return page.bytes < max_bytes
  end

  function page.is_full()
    return #page.tasks == max_tasks or page.bytes >= max_bytes
  end
  return page
end

-- Fills a page with parked tasks. Returns whether there may be more.
local function add_parked(page, cursor, max_tasks)
  local from = cursor == '' and '-' or '(' .. cursor
  local members = call('ZRANGEBYLEX', LANES, from, '+', 'LIMIT', 0, max_tasks)
  for n, member in ipairs(members) do
    local position = sub(member, 4 + unpack_one('>I4', member) + 8 + 1)
    if not page.add(position, -1, TASKS, member) then
      return n < #members or #members == max_tasks
    end
  end
  return #members == max_tasks
end

-- Fills a page out of a state's sorted set. Returns whether there may be more.
local function add_sorted(page, state, cursor, max_tasks)
  local set, envelopes, newest_first, units = unpack(SETS[state])
  local rank = rank_after(set, cursor, newest_first)
  local range = newest_first and 'ZREVRANGE' or 'ZRANGE'
  local members = call(range, set, rank, rank + max_tasks - 1, 'WITHSCORES')
  for i = 1, #members, 2 do
    local member, score = members[i], members[i + 1]
    if member == WIDE_MEMBER then
      return false -- Always the last.
    elseif not page.add(member, score / units, envelopes, score .. ' ' .. member) then
      return i + 1 < #members or #members == 2 * max_tasks
    end
  end
  return #members == 2 * max_tasks
end

-- Fills a page with far-off tasks, list by list. The cursor is minute, list, and how many entries of it were seen.
-- Returns the next cursor, '' at the end.
local function add_far_off(page, cursor)
  local minute, number, seen = string.match(cursor, '^(%d+):(%d+):(%d+)$')
  local rank = minute and (call('ZRANK', MINUTES, minute) or call('ZCOUNT', MINUTES, '-inf', minute * 60000)) or 0
  while true do
    local name = call('ZRANGE', MINUTES, rank, rank)[1]
    if not name then
      return ''
    end
    local list = name == minute and tonumber(number) or tonumber(call('HGET', LATER, name))
    local skipped = name == minute and tonumber(seen) or 0
    while list > 0 do
      local entries = {}
      each_far_task(tonumber(name), call('HGET', LATER, name .. ':' .. list) or '', function(position, due)
        entries[#entries + 1] = {position, due}
      end)
      for i = skipped + 1, #entries do
        local position, due = unpack(entries[i])
        if page.is_full() then
          return 'later ' .. name .. ':' .. list .. ':' .. i - 1
        elseif call('HEXISTS', TASKS, position) == 1 and not call('HGET', LATER, 'x' .. position) then
          page.add(position, due, TASKS, '')
        end
      end
      list, skipped = list - 1, 0
    end
    rank, minute = rank + 1, nil
  end
end

local function list_page(state, cursor, max_tasks, max_bytes)
  local page = new_page(state, max_tasks, max_bytes)
  local far_cursor = state == 'scheduled' and string.match(cursor, '^later (.*)$')
  if not far_cursor then
    local more
    if state == 'parked' then
      more = add_parked(page, cursor, max_tasks)
    else
      more = add_sorted(page, state, cursor, max_tasks)
    end
    if more or state ~= 'scheduled' then
      return {more and page.cursor or '', page.tasks}
    end
  end
  -- Behind the tasks of `scheduled` come the far-off ones.
  return {add_far_off(page, far_cursor or ''), page.tasks}
end

local function tasks_with_id(id)
  local tasks = {}
  for position in string.gmatch(call('HGET', INDEX, id) or '', '[^\n]+') do
    tasks[#tasks + 1] = find(position)
  end
  return {tasks}
end

local function blocked_keys(cursor, count)
  local found = call('HSCAN', BLOCKED, cursor == '' and '0' or cursor, 'COUNT', count)
  local listed = {found[1] == '0' and '' or found[1]}
  for i = 1, #found[2], 2 do
    local n = #listed
    listed[n + 1], listed[n + 2], listed[n + 3] = found[2][i], found[2][i + 1], lane_size(found[2][i])
  end
  return listed
end

local what = ARGV[1]
if what == 'counts' then
  return counts()
elseif what == 'page' then
  return list_page(ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]))
elseif what == 'task' then
  return {{find(ARGV[2])}}
elseif what == 'offset' then
  return {{find((call('HGET', OWNER, 'incarnation') or '0') .. ':' .. ARGV[2])}}
elseif what == 'id' then
  return tasks_with_id(ARGV[2])
elseif what == 'key' then
  return {call('HGET', BLOCKED, ARGV[2]), lane_size(ARGV[2])}
elseif what == 'blocked' then
  return blocked_keys(ARGV[2], ARGV[3])
end
return redis.error_reply('ERR unknown inspection ' .. what)
