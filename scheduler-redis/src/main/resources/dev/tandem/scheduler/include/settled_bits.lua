-- Bits of settled offsets of the current incarnation. `settled` is a hash: number of a block of 512 offsets -> up to
-- 64 bytes; the first offset is the highest bit of the first byte. Offsets below the stored commit count as set.
-- Requires: partition_keys, owner (fence, or the script reads it).
-- Provides: begin_bits, set_bit, has_bit, write_bits, bits_current.
local new_bits = {} -- number of a byte -> its bits that are to be set
local blocks_read = {} -- number of a block -> its bytes before this request; false: none
local bits_current, first_stored_bit = false, 0
local BIT_VALUES = {[0] = 128, 64, 32, 16, 8, 4, 2, 1}

-- Says which incarnation the request means. Bits of another than the current one are neither set nor seen.
local function begin_bits(incarnation)
  bits_current = incarnation == owner[OWNER_INCARNATION]
  first_stored_bit = bits_current and math.max(0, tonumber(owner[OWNER_STORED_COMMIT])) or 1 / 0
end

local function set_bit(offset)
  if offset >= first_stored_bit then
    local low = offset % 8
    local at, value = (offset - low) / 8, BIT_VALUES[low]
    local bits = new_bits[at]
    if not bits then
      new_bits[at] = value
    elseif bits % (value + value) < value then
      new_bits[at] = bits + value
    end
  end
end

local function read_block(number)
  if blocks_read[number] == nil then
    blocks_read[number] = call('HGET', SETTLED, format('%.0f', number))
  end
  return blocks_read[number]
end

local function has_bit(offset)
  if not bits_current or offset < 0 then
    return false
  elseif offset < first_stored_bit then
    return true
  end
  local low = offset % 8
  local at, value = (offset - low) / 8, BIT_VALUES[low]
  if (new_bits[at] or 0) % (value + value) >= value then
    return true
  end
  local block = read_block((at - at % 64) / 64)
  return (block and byte(block, at % 64 + 1) or 0) % (value + value) >= value
end

local function write_bits()
  local blocks = {}
  for at, bits in pairs(new_bits) do
    local number = (at - at % 64) / 64
    local bytes = blocks[number]
    if not bytes then
      local block = read_block(number)
      bytes = block and {byte(block, 1, -1)} or {}
      blocks[number] = bytes
    end
    at = at % 64 + 1
    for fill = #bytes + 1, at do
      bytes[fill] = 0
    end
    bytes[at] = bit.bor(bytes[at], bits)
  end
  for number, bytes in pairs(blocks) do
    call('HSET', SETTLED, format('%.0f', number), string.char(unpack(bytes)))
  end
  new_bits, blocks_read = {}, {}
end
