-- Drops the oldest events of a partition beyond a limit, a bounded number of pages: ask again while more bytes are left. Works also
-- when memory is full.
--
-- KEYS      the partition's, see include/partition_keys, and behind them the list `events`, see include/event_pages
-- ARGV 1    bytes of events that may stay
-- Returns   {bytes that are left}
-- @include partition_keys
-- @include event_drops
local bytes, dropped = events.drop(KEYS[#KEYS], tonumber(call('HGET', OWNER, EVENT_BYTES_FIELD) or '0'), tonumber(ARGV[1]))
if dropped > 0 then
  call('HSET', OWNER, EVENT_BYTES_FIELD, format('%.0f', bytes))
end
return {bytes}
