-- Bits of settled offsets of the current incarnation: fields of one hash, a block of 512 bits (up to 64 bytes) each,
-- named by its number; the first offset is the highest bit of the first byte. Offsets below the mirror count as set.
local marks = {} -- number of a byte -> its bits that are to be set
local blocks_seen = {} -- number of a block -> what it was before; false: nothing
local bits_current, bits_from = false, 0
local ONE = {[0] = 128, 64, 32, 16, 8, 4, 2, 1}

-- For which incarnation the request means its bits: of another one they are neither set nor seen.
local function bits_begin(incarnation)
  bits_current = incarnation == owner[4]
  bits_from = bits_current and math.max(0, tonumber(owner[6])) or 1 / 0
end

local function set_bit(offset)
  if offset >= bits_from then
    local low = offset % 8
    local at, one = (offset - low) / 8, ONE[low]
    local mark = marks[at]
    if not mark then
      marks[at] = one
    elseif mark % (one + one) < one then
      marks[at] = mark + one
    end
  end
end

local function block_of(number)
  if blocks_seen[number] == nil then
    blocks_seen[number] = call('HGET', SETTLED, format('%.0f', number))
  end
  return blocks_seen[number]
end

local function has_bit(offset)
  if not bits_current or offset < 0 then
    return false
  elseif offset < bits_from then
    return true
  end
  local low = offset % 8
  local at, one = (offset - low) / 8, ONE[low]
  if (marks[at] or 0) % (one + one) >= one then
    return true
  end
  local block = block_of((at - at % 64) / 64)
  return (block and byte(block, at % 64 + 1) or 0) % (one + one) >= one
end

local function write_bits()
  local blocks = {}
  for at, mark in pairs(marks) do
    local number = (at - at % 64) / 64
    local bytes = blocks[number]
    if not bytes then
      local block = block_of(number)
      bytes = block and {byte(block, 1, -1)} or {}
      blocks[number] = bytes
    end
    at = at % 64 + 1
    for fill = #bytes + 1, at do
      bytes[fill] = 0
    end
    bytes[at] = bit.bor(bytes[at], mark)
  end
  for number, bytes in pairs(blocks) do
    call('HSET', SETTLED, format('%.0f', number), string.char(unpack(bytes)))
  end
  marks, blocks_seen = {}, {}
end
