-- Blocked keys. An entry of `blocked` is the reason (1 letter, BLOCKED_BY_...), since when (13 digits of ms), the
-- head.
-- Requires: partition_keys, clock, batched_commands.
-- Provides: reason_of, head_of, keyed_entries.

local function reason_of(entry)
  return sub(entry, 1, 1)
end

local function head_of(entry)
  return sub(entry, 15)
end

-- Returns the entries of these keys at the same indexes; false where a key is open. A key may be false: no key.
local function keyed_entries(keys)
  if call('HLEN', BLOCKED) <= FEW_BLOCKED_KEYS then
    local all, by_key, found = call('HGETALL', BLOCKED), {}, {}
    for i = 1, #all, 2 do
      by_key[all[i]] = all[i + 1]
    end
    for i = 1, #keys do
      found[i] = by_key[keys[i]] or false
    end
    return found
  end
  local fields, index_of = {}, {}
  for i = 1, #keys do
    if keys[i] then
      fields[#fields + 1] = keys[i]
      index_of[#fields] = i
    end
  end
  local entries = {}
  for n, entry in ipairs(hmget(BLOCKED, fields)) do
    entries[index_of[n]] = entry
  end
  return entries
end
