-- Commands over lists of any length, in slices that Lua's stack can take.
local SLICE = 4000
local function each_slice(command, key, list)
  local n = #list
  if n == 0 then
    return
  elseif n <= SLICE then
    call(command, key, unpack(list))
    return
  end
  for from = 1, n, SLICE do
    call(command, key, unpack(list, from, math.min(n, from + SLICE - 1)))
  end
end

local function hmget(key, list)
  local n = #list
  if n == 0 then
    return {}
  elseif n <= SLICE then
    return call('HMGET', key, unpack(list))
  end
  local values = {}
  for from = 1, n, SLICE do
    for i, value in ipairs(call('HMGET', key, unpack(list, from, math.min(n, from + SLICE - 1)))) do
      values[from + i - 1] = value
    end
  end
  return values
end
