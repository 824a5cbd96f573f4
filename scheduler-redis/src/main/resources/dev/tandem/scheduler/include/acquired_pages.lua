-- Pages of what an owner must know and what may be much, in these sections:
--   1  settled bits: number of a block, bytes
--   2  blocked keys that wait for a redelivery: key, entry
--   3  lapsed claims without a claim or an envelope: position, count
--   4  positions that await redelivery: position, since when
--   5  elements of identity pages
--   6  positions that were given up to other partitions: position, asker
-- Requires: partition_keys, clock, pages.
-- Provides: read_page.

local function awaits_redelivery_now(_, entry)
  return sub(entry, 1, 1) == BLOCKED_BY_REDELIVERY
end

local function has_only_lapsed(position)
  return call('HEXISTS', TASKS, position) == 0 and call('HEXISTS', CLAIMS, position) == 0
end

-- Appends elements of the list of pages. They are longer than the entries of the other sections.
local function identity_pages(out, cursor, count)
  local first, most = tonumber(cursor), math.ceil(count / 16)
  local elements = call('LRANGE', PAGES, first, first + most - 1)
  for i = 1, #elements do
    out[#out + 1] = elements[i]
  end
  return #elements < most and '0' or format('%.0f', first + most), #elements * 16
end

local function read_section(section, out, cursor, count)
  if section == 1 then
    return scan(out, 'HSCAN', SETTLED, cursor, count)
  elseif section == 2 then
    return scan(out, 'HSCAN', BLOCKED, cursor, count, awaits_redelivery_now)
  elseif section == 3 then
    return scan(out, 'HSCAN', ATTEMPTS, cursor, count, has_only_lapsed)
  elseif section == 4 then
    return scan(out, 'ZSCAN', OWED, cursor, count, is_remembered)
  elseif section == 5 then
    return identity_pages(out, cursor, count)
  end
  return scan(out, 'HSCAN', GIVEN, cursor, count)
end

-- Returns a page from this section and cursor on, see read_sections.
local function read_page(section, cursor)
  return read_sections(6, read_section, section, cursor)
end
