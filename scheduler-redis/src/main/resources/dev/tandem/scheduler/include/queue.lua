-- What a partition of a queue remembers of positions that are settled. PAGES is a list, an element for what one request
-- wrote to one page: its number (4 bytes), then identities of 12 bytes. OWED is a sorted set: position -> since when (ms).
-- GIVEN is a hash: position -> the answer (O or D), then who asked.
local KEPT, OWED_MARK = 900000, -2
local is_queue, some_owed = false, false
local page_parts, page_elements, page_last = {}, {}, nil
local owes = {} -- position -> whether this request made it owed, or took it out

local function queue_begin(incarnation)
  is_queue = incarnation == '-1'
  some_owed = is_queue and call('EXISTS', OWED) == 1
end

local function is_owed(position)
  if owes[position] ~= nil then
    return owes[position]
  end
  local since = some_owed and call('ZSCORE', OWED, position)
  return since and since + KEPT > now
end

local function end_element()
  page_elements[#page_elements + 1] = table.concat(page_parts)
end

-- Appends the position's identity to the page; a page below 0 is none.
local function remember(page, position)
  if page < 0 then
    return
  elseif page ~= page_last then
    if page_last then
      end_element()
    end
    page_parts, page_last = {pack('>I4', page)}, page
  end
  page_parts[#page_parts + 1] = sub(position, 2, 13)
end

local function write_queue()
  if page_last then
    end_element()
    each_slice('RPUSH', PAGES, page_elements)
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
