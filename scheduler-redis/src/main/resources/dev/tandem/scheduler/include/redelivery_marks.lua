-- Writes what a message queue's partition remembers of settled positions. For a log, nothing here costs anything.
--   pages  a list; an element is what one request wrote to one page: its number (4 bytes), identities of 12 bytes
--   owed   a sorted set: position that awaits redelivery by since when, ms
--   given  a hash: position -> answer (HANDOVER_OK or HANDOVER_DONE), then the asker
-- Requires: partition_keys, clock, batched_commands.
-- Provides: begin_redelivery_marks, is_queue; for message queues only: awaits_redelivery, add_to_page,
--   write_redelivery_marks. To change what awaits redelivery: awaiting[position] = true or false.
local is_queue = false
local awaiting = {} -- position -> whether it awaits redelivery, as this request changed it
local awaits_redelivery, add_to_page, write_redelivery_marks

local function begin_redelivery_marks(incarnation)
  if incarnation ~= NO_INCARNATION then
    return
  end
  is_queue = true
  local some_awaiting = call('EXISTS', OWED) == 1
  local parts, elements, last = {}, {}, nil

  awaits_redelivery = function(position)
    if awaiting[position] ~= nil then
      return awaiting[position]
    end
    local since = some_awaiting and call('ZSCORE', OWED, position)
    return since and since + REDELIVERY_KEPT_MILLIS > now
  end

  -- Appends the position's identity to the page; below 0: to none.
  add_to_page = function(page, position)
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

  write_redelivery_marks = function()
    if last then
      elements[#elements + 1] = table.concat(parts)
      each_slice('RPUSH', PAGES, elements)
      call('PEXPIRE', PAGES, REDELIVERY_KEPT_MILLIS)
    end
    for position, awaits in pairs(awaiting) do
      if awaits then
        call('ZADD', OWED, format('%.0f', now), position)
      else
        call('ZREM', OWED, position)
      end
    end
    if next(awaiting) then
      call('ZREMRANGEBYSCORE', OWED, '-inf', format('%.0f', now - REDELIVERY_KEPT_MILLIS))
    end
  end
end
