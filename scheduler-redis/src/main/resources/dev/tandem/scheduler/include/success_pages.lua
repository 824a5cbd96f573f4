-- Writes what is kept of tasks that succeeded: a page for each request that settles some. SuccessPage is the Java side.
--   successes    a list of pages: version 1; count of records (2 bytes); length of the executor's name (1 byte) and the
--                name; the records: length of the rest (2 bytes), length of the position (1 byte), the position, …
--   success-ids  a list with an entry for each page, in the same order: when it was written (6 bytes, ms), size of the
--                page (4 bytes), count of its records (2 bytes), and hashes (4 bytes each) of their positions and ids, and
--                of the names of ends other than success that they have
-- Requires: partition_keys, success_keys, clock.
-- Provides: append_successes.

-- Returns the page without the records of these positions; nil if none is left.
local function page_without(page, left_out)
  local at = 5 + byte(page, 4)
  local parts, count = {'\1', '', sub(page, 4, at - 1)}, 0
  for _ = 1, (unpack_one('>I2', page, 2)) do
    local after = at + 2 + unpack_one('>I2', page, at)
    if not left_out[sub(page, at + 3, at + 2 + byte(page, at + 2))] then
      count = count + 1
      parts[#parts + 1] = sub(page, at, after - 1)
    end
    at = after
  end
  parts[2] = pack('>I2', count)
  return count > 0 and table.concat(parts) or nil
end

-- page: '' if nothing is to be kept; left_out: positions whose outcomes this request did not record.
local function append_successes(page, hashes, left_out)
  if page == '' then
    return
  elseif next(left_out) then
    page = page_without(page, left_out)
  end
  if page then
    call('RPUSH', SUCCESSES, page)
    call('RPUSH', SUCCESS_IDS, pack('>I6I4', now, #page) .. sub(page, 2, 3) .. hashes)
  end
end
