-- What a partition of a queue remembers of positions that are settled. PAGES is a list, an element for what one request
-- wrote to one page: its number (4 bytes), then identities of 12 bytes. OWED is a sorted set: position -> since when (ms).
-- GIVEN is a hash: position -> the answer (O or D), then who asked. For a log, nothing here costs anything.
local KEPT, OWED_MARK = 900000, -2
local is_queue = false
local owes = {} -- position -> whether this request made it owed, or took it out
local is_owed, remember, write_queue -- for queues only

local function queue_begin(incarnation)
  if incarnation ~= '-1' then
    return
  end
  is_queue = true
  local some_owed = call('EXISTS', OWED) == 1
  local parts, elements, last = {}, {}, nil

  is_owed = function(position)
    if owes[position] ~= nil then
      return owes[position]
    end
    local since = some_owed and call('ZSCORE', OWED, position)
    return since and since + KEPT > now
  end

  -- Appends the position's identity to the page; a page below 0 is none.
  remember = function(page, position)
    if page < 0 then
      return
    elseif page ~= last then
      if last then
        elements[#elements + 1] = table.concat(parts)
      end
      parts, last = {pack('>I4', page)}, page
    end
    parts[#parts + 1] = sub(position, 2, 13)
  end

  write_queue = function()
    if last then
      elements[#elements + 1] = table.concat(parts)
      each_slice('RPUSH', PAGES, elements)
      call('PEXPIRE', PAGES, KEPT)
    end
    for position, owed in pairs(owes) do
      if owed then
        call('ZADD', OWED, format('%.0f', now), position)
      else
        call('ZREM', OWED, position)
      end
    end
    if next(owes) then
      call('ZREMRANGEBYSCORE', OWED, '-inf', format('%.0f', now - KEPT))
    end
  end
end
