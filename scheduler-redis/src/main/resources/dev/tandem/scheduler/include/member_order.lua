-- The order of the members of a sorted set that have the same score.
-- Requires: nothing.
-- Provides: precedes.

-- Returns whether a member comes before another one: Redis compares their bytes.
local function precedes(one, other)
  for i = 1, math.min(#one, #other) do
    local a, b = byte(one, i), byte(other, i)
    if a ~= b then
      return a < b
    end
  end
  return #one < #other
end
