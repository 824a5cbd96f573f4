-- Times that the owner waits for, and the identity of this Redis process.
-- Requires: partition_keys, clock.
-- Provides: next_due, next_lapse, run_id.

-- Returns the ms until the next scheduled or retried task is due, or the list of a far-off one is opened; -1: none.
local function next_due()
  local at = 1 / 0
  local first = call('ZRANGE', SCHEDULED, 0, 0, 'WITHSCORES')[2]
  at = first and tonumber(first) < FIRST_PLACE and tonumber(first) or at
  first = call('ZRANGE', RETRY, 0, 0, 'WITHSCORES')[2]
  at = first and math.min(at, tonumber(first)) or at
  first = call('ZRANGE', MINUTES, 0, 0, 'WITHSCORES')[2]
  at = first and math.min(at, first - FAR_OPENS_EARLY_MILLIS) or at
  return at < 1 / 0 and math.max(0, at - now) or -1
end

-- Returns the ms until the earliest lease runs out, but not before the quiet period ends; -1: none.
local function next_lapse(quiet_until)
  local first = call('ZRANGE', INFLIGHT, 0, 0, 'WITHSCORES')[2]
  local at = first and first ~= 'inf' and tonumber(first) or 1 / 0
  if call('HLEN', CLAIMS) > call('ZCARD', INFLIGHT) then
    at = math.min(at, tonumber(call('HGET', OWNER, 'covered') or 1 / 0)) -- There are covered claims.
  end
  return at < 1 / 0 and math.max(0, math.max(at, quiet_until) - now) or -1
end

local function run_id()
  return string.match(call('INFO', 'server'), 'run_id:(%w+)')
end
