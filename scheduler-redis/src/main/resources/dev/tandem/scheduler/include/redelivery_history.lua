-- Reads what a message queue's partition remembers of positions without a claim; see redelivery_marks.
-- Requires: partition_keys, clock.
-- Provides: still_awaits_redelivery, redelivery_history.

local function still_awaits_redelivery(position)
  local since = call('ZSCORE', OWED, position)
  return since and since + REDELIVERY_KEPT_MILLIS > now
end

-- Returns {lapsed claims (position, count, ...), positions that await redelivery, elements of pages, identities of the
-- messages that were given up to other partitions (12 bytes each)}; {} if there is nothing.
local function redelivery_history()
  if call('EXISTS', ATTEMPTS, PAGES, OWED, GIVEN) == 0 then
    return {}
  end
  local counts, lapsed = call('HGETALL', ATTEMPTS), {}
  for i = 1, #counts, 2 do
    if call('HEXISTS', TASKS, counts[i]) == 0 and call('HEXISTS', CLAIMS, counts[i]) == 0 then
      lapsed[#lapsed + 1] = counts[i]
      lapsed[#lapsed + 1] = tonumber(counts[i + 1])
    end
  end
  local given = call('HKEYS', GIVEN)
  table.sort(given)
  for i = 1, #given do
    given[i] = sub(given[i], 2, 13)
  end
  local awaiting = call('ZRANGEBYSCORE', OWED, '(' .. format('%.0f', now - REDELIVERY_KEPT_MILLIS), '+inf')
  return {lapsed, awaiting, call('LRANGE', PAGES, 0, -1), table.concat(given)}
end
