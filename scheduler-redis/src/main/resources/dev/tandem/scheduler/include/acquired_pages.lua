-- Pages of what an owner must know and what may be much. The sections are read one after another, each from cursor '0' on
-- and up to MAX_PAGE_ENTRIES entries in one call, however many there are. What scans return twice, the reader ignores.
--   1  settled bits: number of a block, bytes
--   2  blocked keys that wait for a redelivery: key, entry
--   3  lapsed claims without a claim or an envelope: position, count
--   4  positions that await redelivery: position, since when
--   5  elements of identity pages
--   6  positions that were given up to other partitions: position, asker
-- Requires: partition_keys, clock.
-- Provides: read_page.

-- Appends what a scan of a hash or a sorted set finds, one call of it, if keep(name, value). Returns the cursor to go on
-- at, and how many entries it looked at.
local function scan(out, command, key, cursor, count, keep)
  local found = call(command, key, cursor, 'COUNT', count)
  local entries = found[2]
  for i = 1, #entries, 2 do
    if not keep or keep(entries[i], entries[i + 1]) then
      out[#out + 1] = entries[i]
      out[#out + 1] = entries[i + 1]
    end
  end
  return found[1], #entries / 2
end

local function awaits_redelivery_now(_, entry)
  return sub(entry, 1, 1) == BLOCKED_BY_REDELIVERY
end

local function has_only_lapsed(position)
  return call('HEXISTS', TASKS, position) == 0 and call('HEXISTS', CLAIMS, position) == 0
end

local function is_remembered(_, since)
  return since + REDELIVERY_KEPT_MILLIS > now
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

-- Returns a page from this section and cursor on: a list for each section, then the section (0: all read) and the cursor
-- to go on at.
local function read_page(section, cursor)
  local page, left = {{}, {}, {}, {}, {}, {}}, MAX_PAGE_ENTRIES
  while section <= 6 and left > 0 do
    local looked_at
    cursor, looked_at = read_section(section, page[section], cursor, left)
    left = left - looked_at
    if cursor == '0' then
      section = section + 1
    end
  end
  page[#page + 1] = section <= 6 and section or 0
  page[#page + 1] = cursor
  return page
end
