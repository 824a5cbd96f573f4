-- Notes that tasks with deduplication keys end without a run. The housekeeper passes it on to the buckets of the keys.
-- Requires: partition_keys, envelope.
-- Provides: note_dedup_end.
local DEDUP_ENDS = KEYS[27]

-- False if it has none.
local function envelope_dedup_key(envelope)
  local flags = byte(envelope, 2)
  if flags % 64 < 32 then
    return false
  end
  local at, to = flags % 2 == 1 and 11 or 3, 0
  for _, flag in ipairs({2, 4, 8}) do
    if flags % (2 * flag) >= flag then
      to, at = envelope_text(envelope, at)
    end
  end
  for _ = 1, flags % 32 >= 16 and 4 or 2 do -- Numbers, whose bytes but the last are 128 and more.
    while byte(envelope, at) >= 128 do
      at = at + 1
    end
    at = at + 1
  end
  to, at = envelope_text(envelope, at)
  return at > to and sub(envelope, to, at - 1)
end

local function note_dedup_end(position, envelope)
  local key = envelope_dedup_key(envelope)
  if key then
    call('RPUSH', DEDUP_ENDS, position .. ' ' .. key)
  end
end
