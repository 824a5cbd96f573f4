-- Reads the next tasks of lines of tenants, in the order of the lines that are named, about MAX_ANSWER_BYTES of them. They stay
-- where they are: in `scheduled`, at scores above all times, so that whatever takes a waiting task out takes these too.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1-4  request header, see include/fence
-- ARGV 5    MessagePack of lists: lines; the places behind which each is read (0: from its front); how many tasks at most
-- ARGV 6    lines with tasks are named from this one on; -1: none are
-- Returns   {REPLY_OK, tasks (line, position, place, 1 if it heads its key, envelope), lines that may have more, lines with
--           tasks}
-- @include partition_keys
-- @include fence
-- @include clock
-- @include batched_commands
-- @include blocked_keys
-- @include envelope
-- @include apply_request
local lines, afters, counts = unpack(cmsgpack.unpack(ARGV[5]))
local any_blocked = call('EXISTS', BLOCKED) == 1
local tasks, more, bytes = {}, {}, 0
apply_request('0')

-- Returns where the places of a line begin.
local function line_from(line)
  return FIRST_PLACE + line * PLACES_IN_LINE
end

-- Adds the tasks of one line. Returns whether it may have more.
local function read_line(line, after, most)
  local from = after > 0 and '(' .. format('%.0f', after) or format('%.0f', line_from(line))
  local found = call('ZRANGEBYSCORE', SCHEDULED, from, '(' .. format('%.0f', line_from(line + 1)), 'WITHSCORES', 'LIMIT', 0,
    most + 1)
  for i = 1, math.min(#found, 2 * most), 2 do
    if bytes >= MAX_ANSWER_BYTES then
      return true
    end
    local position, place = found[i], tonumber(found[i + 1])
    local envelope = call('HGET', TASKS, position)
    if envelope then
      local key = any_blocked and envelope_key(envelope)
      local entry = key and call('HGET', BLOCKED, key)
      local n = #tasks
      tasks[n + 1], tasks[n + 2], tasks[n + 3], tasks[n + 5] = line, position, place, envelope
      tasks[n + 4] = entry and head_of(entry) == position and 1 or 0
      bytes = bytes + #envelope
    else
      call('ZREM', SCHEDULED, position)
    end
  end
  return #found > 2 * most
end

local function lines_with_tasks(from)
  local found = {}
  while from >= 0 and #found < MAX_FOUND_LINES do
    local first = call('ZRANGEBYSCORE', SCHEDULED, format('%.0f', line_from(from)), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    if not first[1] then
      break
    end
    local line = floor((tonumber(first[2]) - FIRST_PLACE) / PLACES_IN_LINE)
    found[#found + 1] = line
    from = line + 1
  end
  return found
end

for i = 1, #lines do
  if read_line(lines[i], afters[i], counts[i]) then
    more[#more + 1] = lines[i]
  end
end
return {REPLY_OK, tasks, more, lines_with_tasks(tonumber(ARGV[6]))}
