-- Reads what may be much in pages: sections one after another, each from cursor '0' on and up to MAX_PAGE_ENTRIES
-- entries in one call, however many there are. What scans return twice, the reader ignores.
-- Requires: partition_keys, clock.
-- Provides: scan, is_remembered, read_sections.

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

-- Whether a position of `owed` awaits redelivery still.
local function is_remembered(_, since)
  return since + REDELIVERY_KEPT_MILLIS > now
end

-- read_section(section, list, cursor, count) appends to a list as scan does, and returns the same. Returns a page from
-- this section and cursor on: a list for each section, then the section (0: all read) and the cursor to go on at.
local function read_sections(sections, read_section, section, cursor)
  local page, left = {}, MAX_PAGE_ENTRIES
  for each = 1, sections do
    page[each] = {}
  end
  while section <= sections and left > 0 do
    local looked_at
    cursor, looked_at = read_section(section, page[section], cursor, left)
    left = left - looked_at
    if cursor == '0' then
      section = section + 1
    end
  end
  page[#page + 1] = section <= sections and section or 0
  page[#page + 1] = cursor
  return page
end
