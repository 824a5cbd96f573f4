-- Reads and changes envelopes; dev.tandem.task.Envelope is the Java side. Byte 2 holds flags. With flag 1 the token
-- is in bytes 3 to 10. Then come, as the flags say: id (2), type (4) and key (8), each a text with its length as a
-- varint in front; two numbers (16); two numbers and a text (32); the number of starts and the last error (64).
-- Requires: partition_keys.
-- Provides: envelope_token, envelope_text, envelope_key.

-- False if it has none.
local function envelope_token(envelope)
  return byte(envelope, 2) % 2 == 1 and sub(envelope, 3, 10)
end

-- Returns where the text that begins at `at` has its first character, and where the next item begins.
local function envelope_text(envelope, at)
  local length, shift = 0, 1
  for _ = 1, MAX_VARINT_BYTES do
    local b = byte(envelope, at)
    at = at + 1
    length = length + b % 128 * shift
    if b < 128 then
      break
    end
    shift = shift * 128
  end
  return at, at + length
end

-- False if it has none.
local function envelope_key(envelope)
  local flags = byte(envelope, 2)
  if flags % 16 < 8 then
    return false
  end
  local at, to = 3, 3
  if flags % 2 == 1 then
    at = 11
  end
  if flags % 4 >= 2 then
    to, at = envelope_text(envelope, at)
  end
  if flags % 8 >= 4 then
    to, at = envelope_text(envelope, at)
  end
  to, at = envelope_text(envelope, at)
  return sub(envelope, to, at - 1)
end
