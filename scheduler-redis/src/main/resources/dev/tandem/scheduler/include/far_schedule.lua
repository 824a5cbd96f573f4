-- Tasks scheduled for far-off times, as entries of packed lists by minute: a tenth of the memory of a sorted set.
-- `later` is a hash with the fields
--   <minute>            number of its last list
--   <minute>:<number>   a list; an entry is 2 bytes of ms in the minute, 1 byte of length, and the position
--   count               tasks in all lists
--   x<position>         the entry of this position is void. 0: `count` leaves it out already; 1: it may still be
--                       counted, or there is no entry
-- `minutes` is a sorted set: minute by the earliest due time in it. claim_due opens a list shortly before that time.
-- Requires: partition_keys.
-- Provides: add_far_task, write_far_tasks, void_entry, void_counted_entry, each_far_task.
local far_entries = {} -- minute -> entries to write, and the earliest due time

local function add_far_task(position, due)
  local minute = floor(due / 60000)
  local entries = far_entries[minute]
  if not entries then
    entries = {earliest = due}
    far_entries[minute] = entries
  end
  entries.earliest = math.min(entries.earliest, due)
  entries[#entries + 1] = pack('>I2I1', due - minute * 60000, #position) .. position
end

local function write_far_tasks()
  for minute, entries in pairs(far_entries) do
    local name = format('%.0f', minute)
    local last = tonumber(call('HGET', LATER, name) or '0')
    local parts = {last > 0 and call('HGET', LATER, name .. ':' .. last) or ''}
    local bytes = last > 0 and #parts[1] or FAR_LIST_BYTES
    for i = 1, #entries do
      if bytes + #entries[i] > FAR_LIST_BYTES then
        if last > 0 then
          call('HSET', LATER, name .. ':' .. last, table.concat(parts))
        end
        last, bytes, parts = last + 1, 0, {}
      end
      parts[#parts + 1] = entries[i]
      bytes = bytes + #entries[i]
    end
    call('HSET', LATER, name .. ':' .. last, table.concat(parts), name, last)
    call('HINCRBY', LATER, 'count', #entries)
    call('ZADD', MINUTES, 'LT', format('%.0f', entries.earliest), name)
  end
  far_entries = {}
end

-- For a task in custody that leaves for elsewhere before its list is opened: its entry, if it has one, becomes void.
local function void_entry(position)
  if call('EXISTS', MINUTES) == 1 then
    call('HSET', LATER, 'x' .. position, '1')
  end
end

-- The same for a task that certainly has an entry: it is no longer counted.
local function void_counted_entry(position)
  call('HSET', LATER, 'x' .. position, '0')
  call('HINCRBY', LATER, 'count', -1)
end

-- Calls visit(position, due time in ms) for each entry of a list.
local function each_far_task(minute, list, visit)
  local at, start = 1, minute * 60000
  while at <= #list do
    local millis, length = unpack_one('>I2I1', list, at)
    visit(sub(list, at + 3, at + 2 + length), start + millis)
    at = at + 3 + length
  end
end
