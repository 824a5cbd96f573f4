-- Drops the oldest events of a partition. include/event_pages describes their list.
-- Requires: partition_keys.
-- Provides: events.

-- Here and in include/event_pages, functions are fields of one table, since scripts are short of locals.
local events = {}

-- Drops pages from the front of the list while there are more bytes than the limit, a bounded number of them, so that a limit that
-- falls holds nobody up. Returns the bytes that are left, and how many pages were dropped. Whoever publishes counts their events, by
-- the gap in the numbers.
function events.drop(list, bytes, limit)
  local dropped = 0
  while bytes > limit and dropped < MAX_DROPPED_PAGES do
    local oldest = call('LPOP', list)
    bytes = oldest and bytes - #oldest or 0
    dropped = dropped + 1
  end
  return bytes, dropped
end
