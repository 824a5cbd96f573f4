-- Where a list of a sorted set goes on.
-- Requires: partition_keys, member_order.
-- Provides: rank_behind.

-- Returns the first rank behind a cursor, which is a score, a blank and a member, counted from the highest score if
-- newest_first; nil if it is none. The member may have gone since, or may have another score: then the place where it was
-- is looked for.
local function rank_behind(set, cursor, newest_first)
  local score, member = string.match(cursor, '^(%S+) (.*)$')
  if cursor == '' then
    return 0
  elseif not tonumber(score) then
    return nil
  elseif tonumber(call('ZSCORE', set, member)) == tonumber(score) then
    return call(newest_first and 'ZREVRANK' or 'ZRANK', set, member) + 1
  end
  local from, to = call('ZCOUNT', set, '-inf', '(' .. score), call('ZCOUNT', set, '-inf', score)
  while from < to do
    local middle = floor((from + to) / 2)
    if precedes(member, call('ZRANGE', set, middle, middle)[1]) then
      to = middle
    else
      from = middle + 1
    end
  end
  return newest_first and call('ZCARD', set) - from or from
end
