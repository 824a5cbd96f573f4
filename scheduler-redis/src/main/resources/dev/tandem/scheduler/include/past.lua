-- What is known of a queue's positions that have no claim (see include/queue.lua): lapsed (position, lapses), owed,
-- elements of pages, identities of what was given up. All empty: {}.
local KEPT = 900000

local function still_owed(position)
  local since = call('ZSCORE', OWED, position)
  return since and since + KEPT > now
end

local function past()
  if call('EXISTS', ATTEMPTS, PAGES, OWED, GIVEN) == 0 then
    return {}
  end
  local lapses, lapsed = call('HGETALL', ATTEMPTS), {}
  for i = 1, #lapses, 2 do
    if call('HEXISTS', TASKS, lapses[i]) == 0 and call('HEXISTS', CLAIMS, lapses[i]) == 0 then
      lapsed[#lapsed + 1] = lapses[i]
      lapsed[#lapsed + 1] = tonumber(lapses[i + 1])
    end
  end
  local given = call('HKEYS', GIVEN)
  table.sort(given)
  for i = 1, #given do
    given[i] = sub(given[i], 2, 13)
  end
  return {lapsed, call('ZRANGEBYSCORE', OWED, '(' .. format('%.0f', now - KEPT), '+inf'),
    call('LRANGE', PAGES, 0, -1), table.concat(given)}
end
