-- blocked: key -> why (H head, F foreign, R redelivery, X halted), since when (13 digits of milliseconds), head.
local function block(key, why, head)
  call('HSET', BLOCKED, key, why .. format('%013.0f', now) .. head)
end

local function head_of(entry)
  return sub(entry, 15)
end
