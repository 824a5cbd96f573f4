-- The index of labels: an id that a user gave -> the positions that carry it, one per line. Written when a task comes
-- into the store's custody; entries whose tasks have gone are dropped by trim.
local label_ids, label_positions = {}, {}
local MOST_LABELLED = 1000 -- bytes of positions under one id

local function label(position, envelope)
  local flags = byte(envelope, 2) or 0
  if flags % 4 >= 2 then
    local from, after = envelope_text(envelope, flags % 2 == 1 and 11 or 3)
    label_ids[#label_ids + 1] = sub(envelope, from, after - 1)
    label_positions[#label_ids] = position
  end
end

local function write_labels()
  if #label_ids == 0 then
    return
  end
  local now_known = {}
  for i, known in ipairs(hmget(INDEX, label_ids)) do
    local id, position = label_ids[i], label_positions[i]
    known = now_known[id] or known
    if not known then
      now_known[id] = position
    elseif #known < MOST_LABELLED and not string.find('\n' .. known .. '\n', '\n' .. position .. '\n', 1, true) then
      now_known[id] = known .. '\n' .. position
    end
  end
  local fields = {}
  for id, known in pairs(now_known) do
    fields[#fields + 1] = id
    fields[#fields + 1] = known
  end
  each_slice('HSET', INDEX, fields)
  label_ids, label_positions = {}, {}
end
