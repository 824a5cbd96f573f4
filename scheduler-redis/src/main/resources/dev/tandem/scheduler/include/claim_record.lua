-- The form of a claim, all numbers big-endian: version 1; when it was made, 6 bytes of ms; token, 8 bytes; length of
-- the executor's name, 1 byte, and the name; 0, or 1 and the key. ClaimRecord is the Java side. The claims of
-- settle_and_claim are made by their sender, with its own time. A covered claim has an empty name, see covered_claims.
-- Requires: partition_keys, clock.
-- Provides: claim_head, claim_tail, token_of, executor_of, is_covered, key_of, number_of.

local function claim_head()
  return '\1' .. pack('>I6', now)
end

-- token: 8 bytes; executor: COVERED_NAME for a covered claim; key: nil or false if the task has none.
local function claim_tail(token, executor, key)
  return token .. string.char(#executor) .. executor .. (key and '\1' .. key or '\0')
end

local function token_of(claim)
  return sub(claim, 8, 15)
end

-- COVERED_NAME if the claim is covered.
local function executor_of(claim)
  return sub(claim, 17, 16 + byte(claim, 16))
end

local function is_covered(claim)
  return byte(claim, 16) == 0
end

-- False if the claim has no key.
local function key_of(claim)
  local flag = 17 + byte(claim, 16)
  return byte(claim, flag) == 1 and sub(claim, flag + 1)
end

-- A token's 8 bytes as a number. Tokens stay below 2^53.
local function number_of(token)
  return (unpack_one('>I8', token))
end
