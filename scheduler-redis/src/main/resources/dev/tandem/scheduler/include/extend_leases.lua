-- Extends leases of claims by their tokens.
-- Requires: partition_keys, batched_commands, claim_record.
-- Provides: extend_leases.

-- named: {positions, tokens}. Returns the positions that are not claimed under their token.
local function extend_leases(deadline, named)
  local positions, tokens = named[1], named[2]
  local lost, leases = {}, {}
  for i, claim in ipairs(hmget(CLAIMS, positions)) do
    if claim and token_of(claim) == tokens[i] then
      local n = #leases
      leases[n + 1], leases[n + 2] = deadline, positions[i]
    else
      lost[#lost + 1] = positions[i]
    end
  end
  each_slice('ZADD', INFLIGHT, leases)
  return lost
end
