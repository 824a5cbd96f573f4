-- The index of ids: an id that a publisher gave -> positions of the tasks that carry it, one per line. A task is
-- indexed when the store takes custody of it; trim_history removes what has gone.
-- Requires: partition_keys, batched_commands, envelope.
-- Provides: index_id, write_index.
local indexed_ids, indexed_positions = {}, {}

local function index_id(position, envelope)
  local flags = byte(envelope, 2) or 0
  if flags % 4 >= 2 then
    local from, after = envelope_text(envelope, flags % 2 == 1 and 11 or 3)
    indexed_ids[#indexed_ids + 1] = sub(envelope, from, after - 1)
    indexed_positions[#indexed_ids] = position
  end
end

local function write_index()
  if #indexed_ids == 0 then
    return
  end
  local updated = {}
  for i, known in ipairs(hmget(INDEX, indexed_ids)) do
    local id, position = indexed_ids[i], indexed_positions[i]
    known = updated[id] or known
    if not known then
      updated[id] = position
    elseif #known < MAX_INDEXED_BYTES and not string.find('\n' .. known .. '\n', '\n' .. position .. '\n', 1, true) then
      updated[id] = known .. '\n' .. position
    end
  end
  local fields = {}
  for id, known in pairs(updated) do
    fields[#fields + 1] = id
    fields[#fields + 1] = known
  end
  each_slice('HSET', INDEX, fields)
  indexed_ids, indexed_positions = {}, {}
end
