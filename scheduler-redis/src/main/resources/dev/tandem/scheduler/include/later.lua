-- Tasks scheduled for far-off times wait as hints in packed lists by minute, which take a tenth of a sorted set's memory.
-- LATER is a hash: minute -> number of its last list; `minute:number` -> entries of 2 bytes of milliseconds in the
-- minute, 1 byte of length, and the position; `count` -> tasks in all; `x` and a position -> this hint is void: 0 if it
-- is not among those counted any more, 1 if it still is, or there is none.
-- MINUTES is a sorted set: minute -> earliest due time in it. A list is opened (by due) some time before that.
local FAR, LIST_BYTES = 90000, 1000
local added = {}

local function later(position, due)
  local minute = floor(due / 60000)
  local entries = added[minute]
  if not entries then
    entries = {earliest = due}
    added[minute] = entries
  end
  entries.earliest = math.min(entries.earliest, due)
  entries[#entries + 1] = pack('>I2I1', due - minute * 60000, #position) .. position
end

local function write_later()
  for minute, entries in pairs(added) do
    local name = format('%.0f', minute)
    local last = tonumber(call('HGET', LATER, name) or '0')
    local parts = {last > 0 and call('HGET', LATER, name .. ':' .. last) or ''}
    local bytes = last > 0 and #parts[1] or LIST_BYTES
    for i = 1, #entries do
      if bytes + #entries[i] > LIST_BYTES then
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
  added = {}
end

-- A position that is in custody leaves for elsewhere although nobody opened its list: its hint, if there is one, is
-- void from now on.
local function void_hint(position)
  if call('EXISTS', MINUTES) == 1 then
    call('HSET', LATER, 'x' .. position, '1')
  end
end

-- The same, where the hint is certain to be there: what waits far off is counted exactly when an operator changes it.
local function take_hint(position)
  call('HSET', LATER, 'x' .. position, '0')
  call('HINCRBY', LATER, 'count', -1)
end

-- Calls back with each position and due time of a packed list.
local function each_later(minute, list, told)
  local at, start = 1, minute * 60000
  while at <= #list do
    local millis, length = unpack_one('>I2I1', list, at)
    told(sub(list, at + 3, at + 2 + length), start + millis)
    at = at + 3 + length
  end
end
