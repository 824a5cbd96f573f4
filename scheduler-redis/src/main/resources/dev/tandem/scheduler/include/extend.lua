-- Extends the leases of claims that stand under their tokens; answers the positions of the others.
local function extend(deadline, named)
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
