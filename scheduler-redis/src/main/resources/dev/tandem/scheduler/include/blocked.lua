-- blocked: key -> why (H head, F foreign, R redelivery, X halted), since when (13 digits of milliseconds), head.
local function block(key, why, head)
  call('HSET', BLOCKED, key, why .. format('%013.0f', now) .. head)
end

local function head_of(entry)
  return sub(entry, 15)
end

-- What blocks each of these keys (false among them: none has it), at the same index.
local FEW = 32 -- blocked keys that are cheaper to read than to ask for by name
local function keyed_entries(keys)
  if call('HLEN', BLOCKED) <= FEW then
    local all, by_key, found = call('HGETALL', BLOCKED), {}, {}
    for i = 1, #all, 2 do
      by_key[all[i]] = all[i + 1]
    end
    for i = 1, #keys do
      found[i] = by_key[keys[i]] or false
    end
    return found
  end
  local fields, at = {}, {}
  for i = 1, #keys do
    if keys[i] then
      fields[#fields + 1] = keys[i]
      at[#fields] = i
    end
  end
  local entries = {}
  for n, entry in ipairs(hmget(BLOCKED, fields)) do
    entries[at[n]] = entry
  end
  return entries
end
