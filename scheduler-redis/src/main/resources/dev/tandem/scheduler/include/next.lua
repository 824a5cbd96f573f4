-- Milliseconds until the next scheduled or retried task is due, or the list of a far-off one is to be opened; -1: none.
local LEAD = 10000
local function next_due()
  local at = 1 / 0
  local first = call('ZRANGE', SCHEDULED, 0, 0, 'WITHSCORES')[2]
  at = first and tonumber(first) or at
  first = call('ZRANGE', RETRY, 0, 0, 'WITHSCORES')[2]
  at = first and math.min(at, tonumber(first)) or at
  first = call('ZRANGE', MINUTES, 0, 0, 'WITHSCORES')[2]
  at = first and math.min(at, first - LEAD) or at
  return at < 1 / 0 and math.max(0, at - now) or -1
end

-- Milliseconds until the earliest lease in flight runs out, not before quiet-until; -1: none.
local function next_lapse(quiet)
  local at = call('ZRANGE', INFLIGHT, 0, 0, 'WITHSCORES')[2]
  return at and at ~= 'inf' and math.max(0, math.max(tonumber(at), quiet) - now) or -1
end

local function run_id()
  return string.match(call('INFO', 'server'), 'run_id:(%w+)')
end
