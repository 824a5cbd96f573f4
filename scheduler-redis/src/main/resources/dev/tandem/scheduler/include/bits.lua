-- Bits of settled offsets of the current incarnation: fields of one hash, a block of 512 bits (up to 64 bytes) each,
-- named by its number; the first offset is the highest bit of the first byte. Offsets below the mirror count as set.
local bits = {}
local bits_current, bits_from = false, 0

-- For which incarnation the request means its bits: of another one they are neither set nor seen.
local function bits_begin(incarnation)
  bits_current = incarnation == owner[4]
  bits_from = math.max(0, tonumber(owner[6]))
end

local function set_bit(bit)
  if bits_current and bit >= bits_from then
    local at = bit % 512
    local number = (bit - at) / 512
    local block = bits[number]
    if not block then
      block = {}
      bits[number] = block
    end
    local low = at % 8
    at = (at - low) / 8 + 1
    local mask = block[at]
    local one = 2 ^ (7 - low)
    if not mask then
      block[at] = one
    elseif mask % (one * 2) < one then
      block[at] = mask + one
    end
  end
end

local function has_bit(bit)
  if not bits_current or bit < 0 then
    return false
  elseif bit < bits_from then
    return true
  end
  local at = bit % 512
  local number = (bit - at) / 512
  local low = at % 8
  at = (at - low) / 8 + 1
  local one = 2 ^ (7 - low)
  local mask = bits[number] and bits[number][at] or 0
  if mask % (one * 2) >= one then
    return true
  end
  local block = call('HGET', SETTLED, format('%.0f', number))
  mask = block and byte(block, at) or 0
  return mask % (one * 2) >= one
end

local function write_bits()
  for number, block in pairs(bits) do
    local field = format('%.0f', number)
    local old = call('HGET', SETTLED, field)
    local bytes = old and {byte(old, 1, -1)} or {}
    local last = #bytes
    for at, mask in pairs(block) do
      if at > last then
        for fill = last + 1, at do
          bytes[fill] = 0
        end
        last = at
      end
      bytes[at] = bit.bor(bytes[at], mask)
    end
    call('HSET', SETTLED, field, string.char(unpack(bytes)))
  end
  bits = {}
end
