-- Notes that tasks with deduplication keys, subtasks of fan-outs, and masters end without a run. The housekeeper passes it on to
-- their buckets. An element is one of
-- * a position, the highest token so far (a run with a higher one begins after this end, by an operator) and a deduplication key,
--   with spaces between them;
-- * '~', FAN_OUT_FAILED or FAN_OUT_CANCELLED, which subtask it is, a space and the error;
-- * '+', the same, and the fan-outs to which runs of the master came: an id, a space, a time and a comma for each.
-- Requires: partition_keys, envelope, owner (fields by OWNER_... constants).
-- Provides: note_untold_end.
local UNTOLD_ENDS = KEYS[27]

-- Notes one end. how: FAN_OUT_FAILED, or FAN_OUT_CANCELLED.
local function note_untold_end(position, envelope, how)
  local flags, from, at = byte(envelope, 2), 3, 3
  local function has(flag)
    return flags % (2 * flag) >= flag
  end
  local function text()
    from, at = envelope_text(envelope, at)
    return sub(envelope, from, at - 1)
  end
  local function skip_numbers(count) -- The bytes of a number but the last are 128 and more.
    for _ = 1, count do
      while byte(envelope, at) >= 128 do
        at = at + 1
      end
      at = at + 1
    end
  end
  at = has(1) and 11 or 3
  for _, flag in ipairs({2, 4, 8}) do
    if has(flag) then
      text()
    end
  end
  skip_numbers(has(16) and 2 or 0)
  if has(32) then
    skip_numbers(2)
    local key = text()
    if key ~= '' then
      call('RPUSH', UNTOLD_ENDS, position .. ' ' .. (owner[OWNER_TOKEN] or '0') .. ' ' .. key)
    end
  end
  if not has(128) or not string.find(envelope, 'tandem-fan', at, true) then
    return
  end
  local error = ''
  if has(64) then
    skip_numbers(1)
    error = text()
  end
  local count
  at, count = envelope_text(envelope, at)
  for _ = 1, count - at do
    local name, value = text(), text()
    if name == 'tandem-fan-out' then
      call('RPUSH', UNTOLD_ENDS, '~' .. how .. value .. ' ' .. sub(error, 1, MAX_NOTED_ERROR))
    elseif name == 'tandem-fanned-out' then
      call('RPUSH', UNTOLD_ENDS, '+' .. how .. value)
    end
  end
end
