-- Covered claims: those that the last owner made. They are short: the owner's field `cover` names their executor, and
-- their leases all end at the time in its field `covered`, which every request moves on that claims or renews. So they
-- need no member of `inflight`. All other claims name their executor, and have one.
-- Requires: partition_keys, clock, batched_commands, claim_record.
-- Provides: cover, claimant_of, lease_of, named_claim, uncover.
local cover = call('HMGET', OWNER, 'cover', 'covered') -- as they were before this request
if not cover[1] or not cover[2] then
  -- There are no covered claims, unless somebody removed the owner by hand. Then nobody knows when they lapse: '0'.
  cover = {'?', '0'}
end

local function claimant_of(claim)
  return is_covered(claim) and cover[1] or executor_of(claim)
end

-- Returns when the lease of a claim ends, ms.
local function lease_of(position, claim)
  return tonumber(is_covered(claim) and cover[2] or call('ZSCORE', INFLIGHT, position) or now)
end

-- Returns a claim that names its executor.
local function named_claim(claim)
  return is_covered(claim) and sub(claim, 1, 15) .. string.char(#cover[1]) .. cover[1] .. sub(claim, 17) or claim
end

-- Gives covered claims their executor's name, and a deadline of their own (ms, as text).
local function uncover(positions, claims, deadline)
  local named, leases = {}, {}
  for i = 1, #positions do
    local n = #named
    named[n + 1], named[n + 2] = positions[i], named_claim(claims[i])
    leases[n + 1], leases[n + 2] = deadline, positions[i]
  end
  each_slice('HSET', CLAIMS, named)
  each_slice('ZADD', INFLIGHT, leases)
end
