-- A claim: version 1; when it was made, 6 bytes of milliseconds; token, 8 bytes; the executor's name with its length in
-- one byte; 0, or 1 and the key. All big-endian. Those of a step are made by its sender, with its own time.
local function claim_head()
  return '\1' .. pack('>I6', now)
end

local function claim_tail(token, executor, key)
  return token .. string.char(#executor) .. executor .. (key and '\1' .. key or '\0')
end

local function token_of(claim)
  return sub(claim, 8, 15)
end

local function executor_of(claim)
  return sub(claim, 17, 16 + byte(claim, 16))
end

local function key_of(claim)
  local flag = 17 + byte(claim, 16)
  return byte(claim, flag) == 1 and sub(claim, flag + 1)
end

-- Tokens are 8 bytes, big-endian; as numbers they stay below 2^53.
local function number_of(token)
  return (unpack_one('>I8', token))
end

-- Longer than Redis keeps in lists; no position is.
local WIDE = string.rep('~', 65)
