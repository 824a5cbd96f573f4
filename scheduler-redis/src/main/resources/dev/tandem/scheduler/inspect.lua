-- Looks, and changes nothing. Pages cost the same however many tasks there are.
-- KEYS: the partition's. ARGV 1: what; then
--   'counts'. Answers {now, owner's executor (false: none), epoch, lease deadline, incarnation, mirror, high-water mark,
--     scheduled, retry, parked, active, dead, samples, blocked keys, totals (name, number)}.
--   'page', state (scheduled, retry, parked, active, dead, succeeded), cursor ('': from the start), most tasks, most
--     bytes. Answers {next cursor ('': the end), tasks}.
--   'task', position; 'offset', offset in the current incarnation; 'label', id. Answer {tasks}.
--   'key', key. Answers {entry of blocked (false: open), parked}.
--   'blocked', cursor, most. Answers {next cursor, key, entry, parked, ...}.
-- A task: position, state, time (due, ended, or its lease's end; -1: none), lapses, envelope (false: the broker has
--   it), claim (false: none).
-- @include keys
-- @include now
-- @include lists
-- @include claim
-- @include envelope
-- @include lanes
-- @include blocked
-- @include later
local what = ARGV[1]

local function task_of(position, state, at, envelope)
  local claim = state == 'active' and call('HGET', CLAIMS, position)
  return {position, state, floor(tonumber(at)), tonumber(call('HGET', ATTEMPTS, position) or '0'), envelope, claim}
end

-- In which state a position is, and what is known of it; nil if nothing is.
local function find(position)
  local at = call('ZSCORE', INFLIGHT, position)
  if at then
    return task_of(position, 'active', at, call('HGET', TASKS, position))
  end
  local envelope = call('HGET', TASKS, position)
  if envelope then
    at = call('ZSCORE', SCHEDULED, position)
    if at then
      return task_of(position, 'scheduled', at, envelope)
    end
    at = call('ZSCORE', RETRY, position)
    if at then
      return task_of(position, 'retry', at, envelope)
    end
    return task_of(position, in_lane(envelope_key(envelope), position) and 'parked' or 'scheduled', -1, envelope)
  end
  envelope = call('HGET', DEAD_TASKS, position)
  if envelope then
    return task_of(position, 'dead', call('ZSCORE', DEAD, position) / 1000, envelope)
  end
  envelope = call('HGET', SAMPLES, position)
  if envelope then
    return task_of(position, 'succeeded', call('ZSCORE', SUCCEEDED, position) / 1000, envelope)
  end
end

-- Sorted sets of tasks: set, where the envelopes are, newest first, score units in a millisecond.
local SETS = {
  scheduled = {SCHEDULED, TASKS, false, 1}, retry = {RETRY, TASKS, false, 1}, active = {INFLIGHT, TASKS, false, 1},
  dead = {DEAD, DEAD_TASKS, true, 1000}, succeeded = {SUCCEEDED, SAMPLES, true, 1000}}

-- The rank after the cursor, which is a score, a blank and a member; the member may have gone since.
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

if what == 'counts' then
  local owner = call('HMGET', OWNER, 'executor', 'epoch', 'lease', 'incarnation', 'mirror', 'highwater', 'released')
  return {now, owner[1], tonumber(owner[2] or '0'), owner[7] ~= '1' and tonumber(owner[3] or '0') or 0, tonumber(owner[4] or '0'),
    tonumber(owner[5] or '-1'), tonumber(owner[6] or '0'),
    call('ZCARD', SCHEDULED) + tonumber(call('HGET', LATER, 'count') or '0'), call('ZCARD', RETRY),
    call('ZCARD', LANES), math.max(0, call('HLEN', CLAIMS) - 1), call('ZCARD', DEAD), call('ZCARD', SUCCEEDED),
    call('HLEN', BLOCKED), call('HGETALL', STATS)}
elseif what == 'page' then
  local state, cursor, most, most_bytes = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
  local tasks, bytes, last = {}, 0, ''
  local function add(position, at, from, mark)
    local envelope = call('HGET', from, position)
    tasks[#tasks + 1] = task_of(position, state, at, envelope)
    bytes = bytes + #(envelope or '')
    last = mark
    return bytes < most_bytes
  end
  local came
  local far = state == 'scheduled' and string.match(cursor, '^later (.*)$')
  if state == 'parked' then
    local members = call('ZRANGEBYLEX', LANES, cursor == '' and '-' or '(' .. cursor, '+', 'LIMIT', 0, most)
    came = #members
    for n, member in ipairs(members) do
      local position = sub(member, 4 + unpack_one('>I4', member) + 8 + 1)
      if not add(position, -1, TASKS, member) then
        came = n < came and most or came
        break
      end
    end
  elseif not far then
    local set, from, newest_first, units = unpack(SETS[state])
    local rank = rank_after(set, cursor, newest_first)
    local members = call(newest_first and 'ZREVRANGE' or 'ZRANGE', set, rank, rank + most - 1, 'WITHSCORES')
    came = #members / 2
    for i = 1, #members, 2 do
      if members[i] == WIDE then
        came = 0
      elseif not add(members[i], members[i + 1] / units, from, members[i + 1] .. ' ' .. members[i]) then
        came = i + 1 < #members and most or came
        break
      end
    end
  end
  if state ~= 'scheduled' or not far and came == most then
    return {came < most and '' or last, tasks}
  end
  -- After those of the sorted set come the far-off ones, list by list. The cursor: minute, list, entries seen of it.
  local minute, number, seen = string.match(far or '', '^(%d+):(%d+):(%d+)$')
  local rank = minute and (call('ZRANK', MINUTES, minute) or call('ZCOUNT', MINUTES, '-inf', minute * 60000)) or 0
  while true do
    local name = call('ZRANGE', MINUTES, rank, rank)[1]
    if not name then
      return {'', tasks}
    end
    local to = name == minute and tonumber(number) or tonumber(call('HGET', LATER, name))
    local skip = name == minute and tonumber(seen) or 0
    while to > 0 do
      local hints = {}
      each_later(tonumber(name), call('HGET', LATER, name .. ':' .. to) or '', function(position, due)
        hints[#hints + 1] = {position, due}
      end)
      for i = skip + 1, #hints do
        local position, due = unpack(hints[i])
        if #tasks == most or bytes >= most_bytes then
          return {'later ' .. name .. ':' .. to .. ':' .. i - 1, tasks}
        elseif call('HEXISTS', TASKS, position) == 1 and not call('HGET', LATER, 'x' .. position) then
          add(position, due, TASKS, '')
        end
      end
      to, skip = to - 1, 0
    end
    rank, minute = rank + 1, nil
  end
elseif what == 'task' then
  return {{find(ARGV[2])}}
elseif what == 'offset' then
  return {{find((call('HGET', OWNER, 'incarnation') or '0') .. ':' .. ARGV[2])}}
elseif what == 'label' then
  local tasks = {}
  for position in string.gmatch(call('HGET', INDEX, ARGV[2]) or '', '[^\n]+') do
    tasks[#tasks + 1] = find(position)
  end
  return {tasks}
elseif what == 'key' then
  return {call('HGET', BLOCKED, ARGV[2]), lane_size(ARGV[2])}
elseif what == 'blocked' then
  local found = call('HSCAN', BLOCKED, ARGV[2] == '' and '0' or ARGV[2], 'COUNT', ARGV[3])
  local listed = {found[1] == '0' and '' or found[1]}
  for i = 1, #found[2], 2 do
    local n = #listed
    listed[n + 1], listed[n + 2], listed[n + 3] = found[2][i], found[2][i + 1], lane_size(found[2][i])
  end
  return listed
end
return redis.error_reply('ERR unknown inspection ' .. what)
