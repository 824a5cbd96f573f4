-- Pages of tasks of one state, and how a task is described. A page has a most of tasks, and ends after some bytes of
-- envelopes; one more task may come on top. Each envelope is read by itself, and none behind the last one that has room:
-- they may be so large that some hold Redis up. All else is read in slices, with a command for each thing.
--
-- A task is {position, state, time in ms (when due, or ended, or when its lease ends; -1: none), lapses, envelope
-- (false: the broker has it), claim, which names its executor (false: none), head of its key (false: the key is open)}.
-- Requires: partition_keys, batched_commands, claim_record, covered_claims, envelope, lanes, blocked_keys, far_schedule.
-- Provides: has_any, describe, describe_slice, new_page, add_parked, add_active, add_far_off.
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

-- A page of one state that grows up to its bounds.
local function new_page(state, max_tasks, max_bytes)
  local page = {tasks = {}, cursors = {}, cursor = '', bytes = 0}

  function page.is_full()
    return #page.tasks == max_tasks or page.bytes >= max_bytes
  end

  -- Reads the envelopes of a slice as long as there is room. Returns them, and the index of the last one.
  local function read(envelopes, positions, from)
    local to, found = math.min(#positions, from + DESCRIBED_SLICE - 1, from + max_tasks - #page.tasks - 1), {}
    for i = from, to do
      found[i] = call('HGET', envelopes, positions[i])
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

-- Returns the place of a cursor in the order of a scan, from 0 on and below 1: Redis counts cursors from their last bit on.
local function place_of(cursor)
  local rest, place, bit_place = tonumber(cursor), 0, 0.5
  for _ = 1, 64 do
    if rest % 2 == 1 then
      place = place + bit_place
    end
    rest, bit_place = floor(rest / 2), bit_place / 2
  end
  return place
end

-- Returns whether a scan that is at a cursor has left a piece that ends at another one behind. '0' is the end of all.
local function has_passed(cursor, to)
  return cursor == '0' or to ~= '0' and place_of(cursor) >= place_of(to)
end

-- Scans a piece of `claims`: about CLAIMS_PIECE tasks; or those up to a cursor, of which a page before has seen a part. If a
-- step goes beyond that, smaller ones take its place, so that hardly any tasks of the next piece are among these. It stops
-- earlier where the piece has far more tasks now. Returns fields and values, and the cursor where it stopped.
local function scan_piece(from, to)
  local piece, count = {}, CLAIMS_PIECE
  for _ = 1, MAX_PIECE_STEPS do
    local scanned = call('HSCAN', CLAIMS, from, 'COUNT', count)
    if to and scanned[1] ~= to and count > 1 and has_passed(scanned[1], to) then
      count = floor(count / 10)
    else
      from = scanned[1]
      for _, item in ipairs(scanned[2]) do
        piece[#piece + 1] = item
      end
      if not to or has_passed(from, to) or #piece >= 4 * CLAIMS_PIECE then
        break
      end
    end
  end
  return piece, from
end

-- Adds those tasks of a piece that come behind a position, without those that were added by this call before. The cursor
-- that goes on in the piece begins with `place`. Returns whether all had room.
local function add_piece(page, piece, place, seen, only_stored, added)
  local claim_of, positions, claims, times, cursors = {}, {}, {}, {}, {}
  for i = 1, #piece, 2 do
    local position = piece[i]
    if position > seen and not added[position] then
      added[position], claim_of[position] = true, piece[i + 1]
      positions[#positions + 1] = position
    end
  end
  table.sort(positions)
  for i, position in ipairs(positions) do
    claims[i] = claim_of[position]
    times[i], cursors[i] = lease_of(position, claims[i]), place .. position
  end
  local batch = {positions = positions, times = times, cursors = cursors, claims = claims, only_stored = only_stored}
  return page.add(batch, TASKS) == #positions
end

-- Fills a page with active tasks; those that only the broker has are left out if only_stored. Scans `claims` in pieces, of
-- about MAX_LISTED_TASKS in all. The cursor is `<from> !<to> <seen>`: the cursors of the scan between which the piece is, and
-- the last position that the pages before had of it; `<from> !` where a piece begins. The piece must keep its end: a scan
-- counts tasks, so it goes further once some have ended, and tasks there are not seen. Some may be listed twice if claims
-- come or go between two pages, none is left out. Earlier versions wrote `<from> <seen>`: that piece begins again. They take
-- this cursor for one of theirs which has seen nothing. Returns whether there may be more.
local function add_active(page, cursor, only_stored)
  local from, to, seen = string.match(cursor, '^(%d+) !(%d+) (.+)$')
  if not from then
    from, seen = cursor == '' and '0' or string.match(cursor, '^(%d+) '), ''
    if not from then
      return false
    end
  end
  local added = {}
  for _ = 1, MAX_LISTED_TASKS, CLAIMS_PIECE do
    local piece, stopped = scan_piece(from, to)
    local whole = not to or has_passed(stopped, to)
    local last = to and whole and to or stopped
    if not add_piece(page, piece, from .. ' !' .. last .. ' ', seen, only_stored, added) then
      return true
    end
    from = last
    if whole then
      to, seen = nil, ''
    end
    page.cursor = from .. ' !' .. (to and to .. ' ' .. seen or '')
    if from == '0' or page.is_full() then
      break
    end
  end
  return from ~= '0'
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
