-- Reads and replaces the last error of an envelope.
-- Requires: partition_keys, envelope.
-- Provides: envelope_error, envelope_with_error.

-- Returns where the number of starts begins, or would.
local function starts_at(envelope)
  local flags = byte(envelope, 2)
  local at = flags % 2 == 1 and 11 or 3
  local function skip(texts, numbers)
    for _ = 1, numbers do
      at = (envelope_text(envelope, at))
    end
    for _ = 1, texts do
      local _, after = envelope_text(envelope, at)
      at = after
    end
  end
  for flag = 1, 3 do
    skip(floor(flags / 2 ^ flag) % 2, 0)
  end
  skip(0, floor(flags / 16) % 2 * 2)
  skip(floor(flags / 32) % 2, floor(flags / 32) % 2 * 2)
  return at
end

-- Returns the last error; '' if there is none.
local function envelope_error(envelope)
  if floor(byte(envelope, 2) / 64) % 2 == 0 then
    return ''
  end
  local from, after = envelope_text(envelope, (envelope_text(envelope, starts_at(envelope))))
  return sub(envelope, from, after - 1)
end

-- Returns the same task with another last error, of less than 16 KiB.
local function envelope_with_error(envelope, error)
  local flags, at = byte(envelope, 2), starts_at(envelope)
  local front, starts = sub(envelope, 3, at - 1), '\0'
  if floor(flags / 64) % 2 == 1 then
    local after_starts = (envelope_text(envelope, at))
    starts = sub(envelope, at, after_starts - 1)
    local _, after = envelope_text(envelope, after_starts)
    at = after
  else
    flags = flags + 64
  end
  local length = #error < 128 and string.char(#error) or string.char(#error % 128 + 128, floor(#error / 128))
  return sub(envelope, 1, 1) .. string.char(flags) .. front .. starts .. length .. error .. sub(envelope, at)
end
