-- Commands over lists of any length, in slices that fit on Lua's stack.
-- Requires: partition_keys.
-- Provides: each_slice, hmget.

-- Calls command(key, items...). Does nothing if the list is empty.
local function each_slice(command, key, list)
  local n = #list
  if n == 0 then
    return
  elseif n <= MAX_COMMAND_ARGUMENTS then
    call(command, key, unpack(list))
    return
  end
  for from = 1, n, MAX_COMMAND_ARGUMENTS do
    call(command, key, unpack(list, from, math.min(n, from + MAX_COMMAND_ARGUMENTS - 1)))
  end
end

-- Returns the values of these fields in their order; false where there is none.
local function hmget(key, fields)
  local n = #fields
  if n == 0 then
    return {}
  elseif n <= MAX_COMMAND_ARGUMENTS then
    return call('HMGET', key, unpack(fields))
  end
  local values = {}
  for from = 1, n, MAX_COMMAND_ARGUMENTS do
    local to = math.min(n, from + MAX_COMMAND_ARGUMENTS - 1)
    for i, value in ipairs(call('HMGET', key, unpack(fields, from, to))) do
      values[from + i - 1] = value
    end
  end
  return values
end
