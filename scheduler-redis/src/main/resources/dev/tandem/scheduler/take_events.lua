-- Removes the pages of events that the broker has confirmed, and returns the next ones. May be repeated: pages go only if the
-- last of them is where it was read.
--
-- KEYS      the partition's, see include/partition_keys, and behind them the list `events`, see include/event_pages
-- ARGV 1    head of the last page that is confirmed, EVENT_HEAD_BYTES bytes; '': none is
-- ARGV 2    how many pages were read with it and before it
-- ARGV 3    bytes of pages after which no more are returned
-- Returns   {how many events were dropped, before their turn, in front of the confirmed ones; bytes of the pages that are left;
--           pages, from the oldest on}
-- @include partition_keys
local list, confirmed, bytes, dropped = KEYS[#KEYS], ARGV[1], nil, 0

-- Removes everything up to this page.
local function remove(last)
  local sent = tonumber(call('HGET', OWNER, EVENTS_SENT_FIELD) or '0')
  bytes = tonumber(call('HGET', OWNER, EVENT_BYTES_FIELD) or '0')
  local first, page
  for _ = 0, last do
    page = call('LPOP', list)
    first = first or unpack_one('>I8', page)
    bytes = bytes - #page
  end
  dropped = math.max(0, first - sent)
  local after = unpack_one('>I8', page) + unpack_one('>I2', page, EVENT_HEAD_BYTES + 2)
  if call('EXISTS', list) == 0 then
    bytes = 0
  end
  call('HSET', OWNER, EVENT_BYTES_FIELD, format('%.0f', bytes), EVENTS_SENT_FIELD, format('%.0f', after))
end

if confirmed ~= '' then
  call('HDEL', OWNER, '') -- After a removal, Redis lets a script finish even when memory is full.
  -- Pages go from the front only, when there are too many of them: the page may be nearer to the front than it was.
  for at = ARGV[2] - 1, 0, -1 do
    local page = call('LINDEX', list, at)
    if page and sub(page, 1, EVENT_HEAD_BYTES) == confirmed then
      remove(at)
      break
    end
  end
end

local pages, size = {}, 0
while size < tonumber(ARGV[3]) and #pages < MAX_EVENT_PAGES do
  local slice = call('LRANGE', list, #pages, #pages + EVENT_SLICE - 1)
  for i = 1, #slice do
    pages[#pages + 1] = slice[i]
    size = size + #slice[i]
    if size >= tonumber(ARGV[3]) then
      break
    end
  end
  if #slice < EVENT_SLICE then
    break
  end
end
return {dropped, bytes or tonumber(call('HGET', OWNER, EVENT_BYTES_FIELD) or '0'), pages}
