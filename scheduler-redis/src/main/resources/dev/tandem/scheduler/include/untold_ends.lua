-- Notes that tasks with deduplication keys, subtasks of fan-outs, and masters end without a run. The housekeeper passes it on to
-- their buckets. An element is one of
-- * a position, the highest token so far (a run with a higher one begins after this end, by an operator) and a deduplication key,
--   with spaces between them;
-- * '~', FAN_OUT_FAILED or FAN_OUT_CANCELLED, what the subtask's own fan-out is named by: its position, when it was published (ms)
--   with a point and that token behind it, the length of its id (-1: it has none), each with a space behind, and the id; then which
--   subtask it is, a space and the error;
-- * '+', the same letter, and the fan-outs to which runs of the master came: an id, a space, a time and a comma for each; and then
--   'token', a space, that token and a comma. Earlier versions take this for the id of a fan-out that nobody knows.
-- Requires: partition_keys, envelope, owner (fields by OWNER_... constants).
-- Provides: note_untold_end.
local UNTOLD_ENDS = KEYS[27]

-- Notes one end. how: FAN_OUT_FAILED, or FAN_OUT_CANCELLED.
local function note_untold_end(position, envelope, how)
  local flags, from, at, token = byte(envelope, 2), 3, 3, owner[OWNER_TOKEN] or '0'
  local function has(flag)
    return flags % (2 * flag) >= flag
  end
  local function text()
    from, at = envelope_text(envelope, at)
    return sub(envelope, from, at - 1)
  end
  local function number() -- The bytes of a number but the last are 128 and more.
    local value, shift, b = 0, 1, 128
    while b >= 128 do
      b = byte(envelope, at)
      value, shift, at = value + b % 128 * shift, shift * 128, at + 1
    end
    return value
  end
  at = has(1) and 11 or 3
  local id, published_at = has(2) and text(), 0
  for _, flag in ipairs({4, 8}) do
    if has(flag) then
      text()
    end
  end
  if has(16) then
    published_at = number()
    number()
  end
  if has(32) then
    number()
    number()
    local key = text()
    if key ~= '' then
      call('RPUSH', UNTOLD_ENDS, position .. ' ' .. token .. ' ' .. key)
    end
  end
  if not has(128) or not string.find(envelope, 'tandem-fan', at, true) then
    return
  end
  local error = ''
  if has(64) then
    number()
    error = text()
  end
  local count
  at, count = envelope_text(envelope, at)
  for _ = 1, count - at do
    local name, value = text(), text()
    if name == 'tandem-fan-out' then
      local own = string.format('%s %.0f.%s %d %s', position, published_at, token, id and #id or -1, id or '')
      call('RPUSH', UNTOLD_ENDS, '~' .. how .. own .. value .. ' ' .. sub(error, 1, MAX_NOTED_ERROR))
    elseif name == 'tandem-fanned-out' then
      call('RPUSH', UNTOLD_ENDS, '+' .. how .. value .. 'token ' .. token .. ',')
    end
  end
end
