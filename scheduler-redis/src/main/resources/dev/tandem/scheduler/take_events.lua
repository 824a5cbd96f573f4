-- Removes the pages of events that the broker has confirmed, and returns the next ones. May be repeated: pages go only if the
-- last of them is where it was read.
--
-- KEYS      the partition's, see include/partition_keys, and behind them the list `events`, see include/event_pages
-- ARGV 1    head of the last page that is confirmed, EVENT_HEAD_BYTES bytes; '': none is
-- ARGV 2    how many pages were read with it and before it
-- ARGV 3    bytes of pages after which no more are returned
-- ARGV 4    number of the first event that is confirmed
-- ARGV 5    number behind the last one
-- Returns   {how many events were dropped, before their turn, in front of the confirmed ones; bytes of the pages that are left;
--           pages, from the oldest on}
-- @include partition_keys
local list, confirmed, bytes, dropped = KEYS[#KEYS], ARGV[1], nil, 0

-- Counts what was dropped in front of the confirmed events. The next time, those behind them count.
local function count(sent)
  dropped = math.max(0, ARGV[4] - sent)
  call('HSET', OWNER, EVENTS_SENT_FIELD, ARGV[5])
end

-- Removes everything up to this page.
local function remove(last)
  bytes = tonumber(call('HGET', OWNER, EVENT_BYTES_FIELD) or '0')
  for _ = 0, last do
    bytes = bytes - #call('LPOP', list)
  end
  if call('EXISTS', list) == 0 then
    bytes = 0
  end
  call('HSET', OWNER, EVENT_BYTES_FIELD, format('%.0f', bytes))
end

-- Returns whether the confirmed page was dropped while it was published. Otherwise others have removed it, or Redis has forgotten it.
local function was_dropped(sent)
  local after = tonumber(ARGV[5])
  local oldest = call('LINDEX', list, 0)
  return sent < after and tonumber(call('HGET', OWNER, EVENTS_FIELD) or '0') >= after
    and (not oldest or unpack_one('>I8', oldest) >= after)
end

if confirmed ~= '' then
  call('HDEL', OWNER, '') -- After a removal, Redis lets a script finish even when memory is full.
  local sent, found = tonumber(call('HGET', OWNER, EVENTS_SENT_FIELD) or '0'), false
  -- Pages go from the front only, when there are too many of them: the page may be nearer to the front than it was.
  for at = ARGV[2] - 1, 0, -1 do
    local page = call('LINDEX', list, at)
    if page and sub(page, 1, EVENT_HEAD_BYTES) == confirmed then
      remove(at)
      found = true
      break
    end
  end
  if found or was_dropped(sent) then
    count(sent)
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
