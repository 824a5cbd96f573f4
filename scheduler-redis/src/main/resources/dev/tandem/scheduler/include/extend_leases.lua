-- Extends leases of claims by their tokens.
-- Requires: partition_keys, batched_commands, claim_record.
-- Provides: extend_leases.

-- named: {positions, tokens}. Returns the positions that are not claimed under their token, and those whose claim is
-- covered, with these claims: their leases stay.
local function extend_leases(deadline, named)
  local positions, tokens = named[1], named[2]
  local lost, leases, covered, covered_claims = {}, {}, {}, {}
  for i, claim in ipairs(hmget(CLAIMS, positions)) do
    if not claim or token_of(claim) ~= tokens[i] then
      lost[#lost + 1] = positions[i]
    elseif is_covered(claim) then
      covered[#covered + 1] = positions[i]
      covered_claims[#covered] = claim
    else
      local n = #leases
      leases[n + 1], leases[n + 2] = deadline, positions[i]
    end
  end
  each_slice('ZADD', INFLIGHT, leases)
  return lost, covered, covered_claims
end
