-- Milliseconds until the next scheduled or retried task is due, -1: none.
local function next_due()
  local first, at = nil, nil
  first = call('ZRANGE', SCHEDULED, 0, 0, 'WITHSCORES')[2]
  at = first and tonumber(first)
  first = call('ZRANGE', RETRY, 0, 0, 'WITHSCORES')[2]
  if first and (not at or tonumber(first) < at) then
    at = tonumber(first)
  end
  return at and math.max(0, at - now) or -1
end

-- Milliseconds until the earliest lease in flight runs out, not before quiet-until; -1: none.
local function next_lapse(quiet)
  local at = call('ZRANGE', INFLIGHT, 0, 0, 'WITHSCORES')[2]
  return at and at ~= 'inf' and math.max(0, math.max(tonumber(at), quiet) - now) or -1
end

local function run_id()
  return string.match(call('INFO', 'server'), 'run_id:(%w+)')
end
