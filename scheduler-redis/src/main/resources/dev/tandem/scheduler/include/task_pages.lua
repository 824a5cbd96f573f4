-- Pages of tasks of one state, and how a task is described. A page has a most of tasks, and ends after some bytes of
-- envelopes; one more task may come on top.
--
-- A task is {position, state, time in ms (when due, or ended, or when its lease ends; -1: none), lapses, envelope
-- (false: the broker has it), claim, which names its executor (false: none), head of its key (false: the key is open)}.
-- Requires: partition_keys, claim_record, covered_claims, envelope, lanes, blocked_keys, far_schedule.
-- Provides: any_blocked, describe, new_page, add_parked, add_active, add_far_off.
local any_blocked = call('EXISTS', BLOCKED) == 1

-- Returns the task that the key of a task waits for, which may be that task itself. False if the key is open.
local function head_of_key(envelope, claim)
  local key = any_blocked and (envelope and envelope_key(envelope) or claim and key_of(claim))
  local entry = key and call('HGET', BLOCKED, key)
  return entry and head_of(entry)
end

local function describe(position, state, at, envelope, claim)
  return {position, state, floor(tonumber(at)), tonumber(call('HGET', ATTEMPTS, position) or '0'), envelope,
    claim and named_claim(claim) or false, head_of_key(envelope, claim) or false}
end

-- A page of one state that grows task by task, up to its bounds.
local function new_page(state, max_tasks, max_bytes)
  local page = {tasks = {}, cursors = {}, cursor = '', bytes = 0}

  -- Adds a task; the cursor points behind it. Returns whether the page has room for more bytes.
  function page.add(position, at, envelopes, cursor, claim)
    local envelope = call('HGET', envelopes, position)
    page.tasks[#page.tasks + 1] = describe(position, state, at, envelope, claim)
    page.cursors[#page.tasks] = cursor
    page.bytes = page.bytes + #(envelope or '')
    page.cursor = cursor
    return page.bytes < max_bytes
  end

  function page.is_full()
    return #page.tasks == max_tasks or page.bytes >= max_bytes
  end
  return page
end

-- Fills a page with parked tasks. Returns whether there may be more.
local function add_parked(page, cursor, max_tasks)
  local from = cursor == '' and '-' or '(' .. cursor
  local members = call('ZRANGEBYLEX', LANES, from, '+', 'LIMIT', 0, max_tasks)
  for n, member in ipairs(members) do
    local position = sub(member, 4 + unpack_one('>I4', member) + 8 + 1)
    if not page.add(position, -1, TASKS, member) then
      return n < #members or #members == max_tasks
    end
  end
  return #members == max_tasks
end

-- Fills a page with active tasks; those that only the broker has are left out if only_stored. Scans one piece of `claims`.
-- The cursor is that of the scan, and the last position of its piece that the page before had. Returns whether there may be
-- more.
local function add_active(page, cursor, only_stored)
  local scan_from, seen = string.match(cursor, '^(%d+) (.*)$')
  if cursor ~= '' and not scan_from then
    return false
  end
  scan_from, seen = scan_from or '0', seen or ''
  local scanned = call('HSCAN', CLAIMS, scan_from, 'COUNT', MAX_LISTED_TASKS)
  local claims, positions = {}, {}
  for i = 1, #scanned[2], 2 do
    local position = scanned[2][i]
    if position > seen and not claims[position] and not (only_stored and call('HEXISTS', TASKS, position) == 0) then
      claims[position] = scanned[2][i + 1]
      positions[#positions + 1] = position
    end
  end
  table.sort(positions)
  for i, position in ipairs(positions) do
    local claim = claims[position]
    page.add(position, lease_of(position, claim), TASKS, scan_from .. ' ' .. position, claim)
    if page.is_full() and i < #positions then
      return true
    end
  end
  page.cursor = scanned[1] .. ' ' .. FIRST_POSITION
  return scanned[1] ~= '0'
end

-- Adds the entries of a packed list from one on. Returns how many it looked at, and the entry at which the page was
-- full, nil if it was not.
local function add_far_list(page, minute, list, from)
  local number, full_at = -1, nil
  each_far_task(minute, call('HGET', LATER, list) or '', function(position, due)
    number = number + 1
    if number < from or full_at then
      return
    elseif page.is_full() then
      full_at = number
    elseif call('HEXISTS', TASKS, position) == 1 and call('HEXISTS', LATER, 'x' .. position) == 0 then
      page.add(position, due, TASKS, '')
      page.cursors[#page.tasks] = 'later ' .. list .. ':' .. number + 1
    end
  end)
  return number + 1, full_at
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
