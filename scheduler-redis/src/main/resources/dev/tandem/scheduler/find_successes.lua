-- Finds what is kept of tasks that succeeded, the latest first. Changes nothing.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    hash of a position, an id or a rare end, 4 bytes; '': all pages
-- ARGV 2    number of the page to go back from; '': the latest
-- ARGV 3    how many records are enough
-- ARGV 4    at how many bytes of entries to look at most
-- Returns   {number of the page to go on at (-1: all seen), at how many bytes of entries it looked, then for each page
--           found: number, page}. A page is found by the hash alone, so the task may not be in it
-- @include partition_keys
-- @include success_keys
local hash, from, enough, most = ARGV[1], ARGV[2], tonumber(ARGV[3]), math.min(MAX_SEARCHED_BYTES, tonumber(ARGV[4]))
local removed = tonumber(string.match(call('HGET', OWNER, SUCCESSES_FIELD) or '0', '^%d+'))
local index = call('LLEN', SUCCESS_IDS) - 1
if from ~= '' then
  index = math.min(index, tonumber(from) - removed)
end

local found, records, bytes, looked, slice = {-1, 0}, 0, 0, 0, FIRST_SUCCESS_SLICE
local find = string.find

-- Looks at a slice of entries from its end. Returns whether to go on.
local function look_at(entries)
  for i = #entries, 1, -1 do
    local entry = entries[i]
    if hash == '' or find(entry, hash, SUCCESS_HASHES_AT, true) then
      local page = call('LINDEX', SUCCESSES, index) or ''
      found[#found + 1], found[#found + 2] = removed + index, page
      records = records + unpack_one('>I2', entry, SUCCESS_HASHES_AT - 2)
      bytes = bytes + #page
    end
    index = index - 1
    looked = looked + #entry + SUCCESS_HASHES_AT
    if records >= enough or bytes >= MAX_LISTED_BYTES or looked >= most then
      return false
    end
  end
  return true
end

for _ = 1, MAX_SEARCHED_BYTES do
  local before, last = looked, index
  if index < 0 or not look_at(call('LRANGE', SUCCESS_IDS, math.max(0, index - slice + 1), index)) then
    break
  end
  -- The next slice has as many entries as have room if they are as large as these, and twice as many at most: they may be
  -- far larger.
  local room = math.min(MAX_SUCCESS_SLICE_BYTES, most - looked)
  slice = math.max(1, math.min(2 * slice, MAX_SUCCESS_SLICE, floor(room * (last - index) / (looked - before))))
end
found[1], found[2] = index >= 0 and removed + index or -1, looked
return found
