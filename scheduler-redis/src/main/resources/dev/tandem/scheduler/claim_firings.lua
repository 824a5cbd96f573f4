-- Claims firings, so that one program submits each. A claim ends at its deadline, unless the same program claims again.
--
-- KEYS      the bucket's, see include/schedule_keys
-- ARGV 1    now, ms
-- ARGV 2    the program
-- ARGV 3    how long a claim holds, ms
-- then      for each firing: schedule, version of its definition, last instant fired as the program knows it, instant,
--           1 if somebody asked for it
-- Returns   for each firing: {verdict (FIRING_...), last instant fired, end of another program's claim (-1: none), last
--           firing whose task is not known to have ended (-1: none)}
-- @include schedule_keys
local now = tonumber(ARGV[1])
local deadline = format('%.0f', now + ARGV[3])
local replies = {}
for i = 4, #ARGV, 5 do
  local id, version, known, instant = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local asked = ARGV[i + 4] == '1'
  local _, stored = version_of(id)
  local fired = call('HGET', FIRED, id) or '-1'
  local verdict, til = FIRING_CLAIMED, -1
  if stored ~= version then
    verdict = FIRING_REPLACED
  elseif asked and call('HGET', ASKED, id) ~= instant or not asked and fired ~= known then
    verdict = FIRING_MOVED
  elseif not asked and call('HEXISTS', PAUSED, id) == 1 then
    verdict = FIRING_PAUSED
  else
    local claim = call('HGET', CLAIMS, id)
    local _, held, program = string.match(claim or '', '^(%S+) (%d+) (.*)$')
    if claim and tonumber(held) > now and program ~= ARGV[2] then
      verdict, til = FIRING_BUSY, tonumber(held)
    else
      call('HSET', CLAIMS, id, instant .. ' ' .. deadline .. ' ' .. ARGV[2])
    end
  end
  replies[#replies + 1] = {verdict, tonumber(fired), til, tonumber(call('HGET', OPEN, id) or -1)}
end
return replies
