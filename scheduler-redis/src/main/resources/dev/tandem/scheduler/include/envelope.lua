-- What scripts read out of an envelope (see dev.tandem.task.Envelope): flags in byte 2; if flag 1, the token in bytes 3
-- to 10; then, as the flags say, id (2), type (4) and key (8), each with its length as a varint in front.
local function envelope_token(envelope)
  return byte(envelope, 2) % 2 == 1 and sub(envelope, 3, 10)
end

local function envelope_text(envelope, at)
  local length, shift = 0, 1
  while true do
    local b = byte(envelope, at)
    at = at + 1
    length = length + b % 128 * shift
    if b < 128 then
      return at, at + length
    end
    shift = shift * 128
  end
end

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
