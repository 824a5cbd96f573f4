-- Groups of dead tasks by type and error. `dead-groups` has a record for each group: count of tasks, of those that halt
-- their keys, when the first and the last of it died (ms), the length of the type, all with a space behind; the type, and
-- the first line of the last error. `grouped` has the group of each dead task; those of earlier versions have none. What a
-- script changes is written by groups.write, which each script that includes this calls in the end.
-- Requires: partition_keys, clock, batched_commands, blocked_keys.
-- Provides: groups (exist, added, records, changed, joined, written, any, record, of, change, leave, write, end_halt, open), block.
local groups = {records = {}, changed = {}, joined = {}, written = {}, added = 0}

-- Returns whether a task is in a group, or was before this script. Asks once.
function groups.any()
  if groups.exist == nil then
    groups.exist = call('EXISTS', KEYS[28]) == 1
  end
  return groups.exist or groups.added > 0
end

-- Returns the record of a group, false if there is none.
function groups.record(group)
  local record = groups.records[group]
  if record == nil then
    local text = groups.any() and call('HGET', KEYS[28], group)
    record = false
    if text then
      local count, halting, first, last, length, at = string.match(text, '^(%d+) (%d+) (%d+) (%d+) (%d+) ()')
      record = {count = tonumber(count), halting = tonumber(halting), first = first, last = last,
        type = sub(text, at, at + length - 1), error = sub(text, at + length)}
    end
    groups.records[group] = record
  end
  return record
end

-- Returns the group of a dead task, false if it has none.
function groups.of(position)
  return groups.joined[position] or groups.any() and call('HGET', KEYS[29], position)
end

function groups.change(group, count, halting)
  local record = group and groups.record(group)
  if record then
    record.count, record.halting = math.max(0, record.count + count), math.max(0, record.halting + halting)
    groups.changed[group] = record
  end
end

-- Takes tasks that are not dead any more, and halt no key, out of their groups.
function groups.leave(positions)
  if #positions == 0 or not groups.any() then
    return
  end
  for _, group in ipairs(hmget(KEYS[29], positions)) do
    groups.change(group, -1, 0)
  end
  each_slice('HDEL', KEYS[29], positions)
end

function groups.write()
  local kept, empty = {}, {}
  for group, record in pairs(groups.changed) do
    if record.count > 0 then
      kept[#kept + 1] = group
      kept[#kept + 1] = format('%.0f %.0f %s %s %d ', record.count, math.min(record.halting, record.count), record.first,
        record.last, #record.type) .. record.type .. record.error
    else
      empty[#empty + 1] = group
      groups.records[group] = false
    end
  end
  each_slice('HSET', KEYS[28], kept)
  each_slice('HSET', KEYS[29], groups.written)
  each_slice('HDEL', KEYS[28], empty)
  if #kept > 0 then
    groups.exist = true
  end
  groups.changed, groups.written, groups.added = {}, {}, 0
end

-- The head of a halted key may be in a group: notes that it halts the key no more.
function groups.end_halt(key)
  local entry = groups.any() and call('HGET', BLOCKED, key)
  if entry and reason_of(entry) == BLOCKED_BY_HALT then
    groups.change(groups.of(head_of(entry)), 0, -1)
  end
end

local function block(key, reason, head)
  groups.end_halt(key)
  call('HSET', BLOCKED, key, reason .. format('%013.0f', now) .. head)
  if reason == BLOCKED_BY_HALT then
    groups.change(groups.of(head), 0, 1)
  end
end

function groups.open(key)
  groups.end_halt(key)
  call('HDEL', BLOCKED, key)
end
