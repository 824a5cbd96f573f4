-- Pages of tasks of one state, and how a task is described. A page has a most of tasks, and ends after some bytes of
-- envelopes; one more task may come on top. Tasks are read in slices, with a command for each thing that is read. A slice
-- begins with a few tasks, and grows while envelopes are small: they may be so large that some hold Redis up.
--
-- A task is {position, state, time in ms (when due, or ended, or when its lease ends; -1: none), lapses, envelope
-- (false: the broker has it), claim, which names its executor (false: none), head of its key (false: the key is open)}.
-- Requires: partition_keys, batched_commands, claim_record, covered_claims, envelope, lanes, blocked_keys, far_schedule.
-- Provides: has_any, describe, describe_slice, slice_size, new_page, add_parked, add_active, add_far_off.
local any = {} -- whether a hash has something, once that was asked

local function has_any(hash)
  if any[hash] == nil then
    any[hash] = call('EXISTS', hash) == 1
  end
  return any[hash]
end

-- Returns the entries in `blocked` of the keys of some tasks, by their indexes from `from` to `to`: nil where there is none.
local function entries_of_keys(envelopes, claims, from, to)
  local keys, indexes, entries = {}, {}, {}
  for i = from, to do
    local key = envelopes[i] and envelope_key(envelopes[i]) or claims[i] and key_of(claims[i])
    if key then
      keys[#keys + 1] = key
      indexes[#keys] = i
    end
  end
  for n, entry in ipairs(#keys > 0 and has_any(BLOCKED) and hmget(BLOCKED, keys) or {}) do
    entries[indexes[n]] = entry or nil
  end
  return entries
end

-- Describes tasks of one state, those with the indexes from `from` to `to` of batch.positions and the other lists. Appends
-- them to `described`, without those that have no envelope if batch.only_stored. envelopes, claims: false or nil where there
-- is none.
local function describe_slice(described, state, batch, envelopes, claims, from, to)
  local lapses = has_any(ATTEMPTS) and call('HMGET', ATTEMPTS, unpack(batch.positions, from, to)) or {}
  local entries = entries_of_keys(envelopes, claims, from, to)
  for i = from, to do
    local envelope, claim, entry = envelopes[i] or false, claims[i], entries[i]
    if envelope or not batch.only_stored then
      described[#described + 1] = {batch.positions[i], state, floor(tonumber(batch.times[i])),
        tonumber(lapses[i - from + 1] or '0'), envelope, claim and named_claim(claim) or false,
        entry and head_of(entry) or false}
    end
  end
end

-- Returns the description of one task.
local function describe(position, state, at, envelope, claim)
  local described = {}
  describe_slice(described, state, {positions = {position}, times = {at}}, {envelope}, {claim}, 1, 1)
  return described[1]
end

-- Returns how many tasks to read next: at most twice as many as the last time, and no more than have room if each is as
-- large as the largest one so far.
local function slice_size(last, largest, room)
  return math.max(1, math.min(2 * last, DESCRIBED_SLICE, floor(room / math.max(1, largest))))
end

-- A page of one state that grows up to its bounds.
local function new_page(state, max_tasks, max_bytes)
  local page = {tasks = {}, cursors = {}, cursor = '', bytes = 0}
  local size, largest = FIRST_DESCRIBED, 0

  function page.is_full()
    return #page.tasks == max_tasks or page.bytes >= max_bytes
  end

  -- Reads the envelopes of a slice. Returns them, and the index of the last one that has room.
  local function read(envelopes, positions, from)
    local to = math.min(#positions, from + size - 1, from + max_tasks - #page.tasks - 1)
    local stored, found = call('HMGET', envelopes, unpack(positions, from, to)), {}
    for i = from, to do
      found[i] = stored[i - from + 1]
      largest = math.max(largest, #(found[i] or ''))
      page.bytes = page.bytes + #(found[i] or '')
      if page.bytes >= max_bytes then
        return found, i
      end
    end
    return found, to
  end

  -- Adds tasks in their order as long as there is room: those of the lists batch.positions, batch.times, batch.cursors,
  -- which point behind them, and batch.claims if there are any. Leaves out what has no envelope if batch.only_stored.
  -- Returns how many tasks it looked at.
  function page.add(batch, envelopes)
    local positions, claims, looked = batch.positions, batch.claims or {}, 0
    while looked < #positions and not page.is_full() do
      local found, last = read(envelopes, positions, looked + 1)
      describe_slice(page.tasks, state, batch, found, claims, looked + 1, last)
      for i = looked + 1, last do
        if found[i] or not batch.only_stored then
          page.cursors[#page.cursors + 1] = batch.cursors[i]
        end
      end
      page.cursor, looked = batch.cursors[last], last
      size = slice_size(size, largest, max_bytes - page.bytes)
    end
    return looked
  end
  return page
end

-- Fills a page with parked tasks. Returns whether there may be more.
local function add_parked(page, cursor, max_tasks)
  local from = cursor == '' and '-' or '(' .. cursor
  local members = call('ZRANGEBYLEX', LANES, from, '+', 'LIMIT', 0, max_tasks)
  local positions, times = {}, {}
  for n, member in ipairs(members) do
    positions[n], times[n] = sub(member, 4 + unpack_one('>I4', member) + 8 + 1), -1
  end
  local looked = page.add({positions = positions, times = times, cursors = members}, TASKS)
  return looked < #members or #members == max_tasks
end

-- Adds those tasks of a piece of `claims` that come behind a position. Returns whether all had room.
local function add_piece(page, piece, scan_from, seen, only_stored)
  local claim_of, positions, claims, times, cursors = {}, {}, {}, {}, {}
  for i = 1, #piece, 2 do
    local position = piece[i]
    if position > seen and not claim_of[position] then
      claim_of[position] = piece[i + 1]
      positions[#positions + 1] = position
    end
  end
  table.sort(positions)
  for i, position in ipairs(positions) do
    claims[i] = claim_of[position]
    times[i], cursors[i] = lease_of(position, claims[i]), scan_from .. ' ' .. position
  end
  local batch = {positions = positions, times = times, cursors = cursors, claims = claims, only_stored = only_stored}
  return page.add(batch, TASKS) == #positions
end

-- Fills a page with active tasks; those that only the broker has are left out if only_stored. Scans `claims` in pieces, of
-- about MAX_LISTED_TASKS in all. The cursor is that of the scan, and the last position of its piece that the page before
-- had; so the size of a piece must not grow. Returns whether there may be more.
local function add_active(page, cursor, only_stored)
  local scan_from, seen = string.match(cursor, '^(%d+) (.*)$')
  if cursor ~= '' and not scan_from then
    return false
  end
  scan_from, seen = scan_from or '0', seen or ''
  for _ = 1, MAX_LISTED_TASKS, CLAIMS_PIECE do
    local scanned = call('HSCAN', CLAIMS, scan_from, 'COUNT', CLAIMS_PIECE)
    if not add_piece(page, scanned[2], scan_from, seen, only_stored) then
      return true
    end
    scan_from, seen = scanned[1], FIRST_POSITION
    page.cursor = scan_from .. ' ' .. seen
    if scan_from == '0' or page.is_full() then
      break
    end
  end
  return scan_from ~= '0'
end

-- Adds the entries of a packed list from one on. Returns how many the list has, and the entry at which the page was full,
-- nil if it was not.
local function add_far_list(page, minute, list, from)
  local positions, times = {}, {}
  each_far_task(minute, call('HGET', LATER, list) or '', function(position, due)
    positions[#positions + 1], times[#positions + 1] = position, due
  end)
  while from < #positions and not page.is_full() do
    local marks, batch, numbers = {}, {positions = {}, times = {}, cursors = {}, only_stored = true}, {}
    for i = from + 1, math.min(#positions, from + 2 * DESCRIBED_SLICE) do
      marks[#marks + 1] = 'x' .. positions[i]
    end
    for i, void in ipairs(call('HMGET', LATER, unpack(marks))) do
      if not void then
        local n, number = #numbers + 1, from + i
        batch.positions[n], batch.times[n], numbers[n] = positions[number], times[number], number
        batch.cursors[n] = 'later ' .. list .. ':' .. number
      end
    end
    local looked = page.add(batch, TASKS)
    from = page.is_full() and (numbers[looked] or from) or from + #marks
  end
  return #positions, page.is_full() and from < #positions and from or nil
end

-- Fills a page with far-off tasks, list by list, the last of a minute first. The cursor is minute, list, and how many
-- entries of it were seen. Looks at about max_looked entries. Returns the next cursor, '' at the end.
local function add_far_off(page, cursor, max_looked)
  local minute, number, seen = string.match(cursor, '^(%d+):(%d+):(%d+)$')
  local rank = minute and (call('ZRANK', MINUTES, minute) or call('ZCOUNT', MINUTES, '-inf', minute * 60000)) or 0
  local name = call('ZRANGE', MINUTES, rank, rank)[1]
  local last = tonumber(name and call('HGET', LATER, name) or '0')
  local list, from = last, 0
  if name and name == minute then
    list, from = math.min(last, tonumber(number)), tonumber(seen)
  end
  -- Each turn looks at a list or takes the next minute, and counts.
  local looked = 0
  for _ = 1, max_looked do
    if not name then
      return ''
    elseif list > 0 then
      if looked >= max_looked then
        return 'later ' .. name .. ':' .. list .. ':0'
      end
      local size, full_at = add_far_list(page, tonumber(name), name .. ':' .. list, from)
      if full_at then
        return 'later ' .. name .. ':' .. list .. ':' .. full_at
      end
      looked, list, from = looked + size, list - 1, 0
    else
      rank = rank + 1
      name = call('ZRANGE', MINUTES, rank, rank)[1]
      list = tonumber(name and call('HGET', LATER, name) or '0')
    end
  end
  return name and 'later ' .. name .. ':' .. list .. ':0' or ''
end
