-- Keeps what is known of tasks that succeeded within its bounds: pages go from the oldest on. One call does a piece of
-- this work; the program calls it until all is done.
--
-- The field SUCCESSES_FIELD of the owner has four numbers: how many pages went so far; how many of those that are left were
-- counted; and how many records and bytes these have.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    age in ms from which on pages go
-- ARGV 2    most records
-- ARGV 3    most bytes, with those of `success-ids`
-- ARGV 4    how many pages to look at
-- Returns   {1 if there is more to do, else 0; how many records went}
-- @include partition_keys
-- @include success_keys
-- @include clock
local oldest, max_records, max_bytes, limit = now - ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local before = call('HGET', OWNER, SUCCESSES_FIELD) or '0 0 0 0'
local pages = call('LLEN', SUCCESS_IDS)
if pages == 0 and before == '0 0 0 0' then
  return {0, 0}
end
call('HDEL', OWNER, '') -- After a removal, Redis lets a script trim even when memory is full.
local gone, counted, records, bytes = string.match(before, '^(%d+) (%d+) (%d+) (%d+)$')
gone, counted, records, bytes = tonumber(gone), tonumber(counted), tonumber(records), tonumber(bytes)
if counted > pages then
  -- Somebody removed pages by hand.
  gone, counted, records, bytes = gone + counted, 0, 0, 0
end

-- Returns when an entry's page was written, how many records it has, and how many bytes both take.
local function read_entry(entry)
  local written, size, count = unpack_one('>I6I4I2', entry)
  return written, count, size + #entry
end

for _, entry in ipairs(call('LRANGE', SUCCESS_IDS, counted, counted + limit - 1)) do
  local _, count, size = read_entry(entry)
  counted, records, bytes = counted + 1, records + count, bytes + size
end

local removed_pages, removed = 0, 0
for _, entry in ipairs(call('LRANGE', SUCCESS_IDS, 0, limit - 1)) do
  local written, count, size = read_entry(entry)
  if written >= oldest and records <= max_records and bytes <= max_bytes then
    break
  end
  removed_pages, removed = removed_pages + 1, removed + count
  records, bytes = records - count, bytes - size
end
local left = pages - removed_pages
if removed_pages > 0 then
  call('LTRIM', SUCCESSES, removed_pages, -1)
  call('LTRIM', SUCCESS_IDS, removed_pages, -1)
  gone, counted = gone + removed_pages, counted - removed_pages
end
if left == 0 then
  records, bytes = 0, 0
end
local after = format('%.0f %.0f %.0f %.0f', gone, counted, math.max(0, records), math.max(0, bytes))
if after ~= before then
  call('HSET', OWNER, SUCCESSES_FIELD, after)
end
return {(counted < left or removed_pages == limit) and 1 or 0, removed}
