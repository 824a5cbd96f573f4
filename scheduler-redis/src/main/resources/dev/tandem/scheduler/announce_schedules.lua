-- Says that a program has schedules. The definition of the program that started last counts, as long as some program
-- announces it. A schedule whose timing is new begins now. One that somebody created is only seen.
--
-- KEYS      the bucket's, see include/schedule_keys
-- ARGV 1    now, ms
-- ARGV 2    when the program started, ms
-- ARGV 3    how long a definition counts without being announced, ms
-- ARGV 4    the most schedules of the bucket
-- then      for each schedule: id, version, timing, definition ('': not sent), 1 if it is one that somebody created
-- Returns   for each schedule: {standing (SCHEDULE_...), last instant fired, 1 if paused, asked at (-1: not
--           asked), last firing whose task is not known to have ended (-1: none)}
-- @include schedule_keys
local now, mine = tonumber(ARGV[1]), tonumber(ARGV[2])
local replies = {}
for i = 5, #ARGV, 5 do
  local id, version, timing, definition = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local since, stored, stored_timing = version_of(id)
  local standing = SCHEDULE_CURRENT
  local created = call('HGET', CREATED, id)
  if ARGV[i + 4] == '1' then
    standing = created == version and SCHEDULE_CURRENT or SCHEDULE_REPLACED
  elseif created then
    standing = SCHEDULE_TAKEN
  elseif stored ~= version then
    local seen = tonumber(call('ZSCORE', SEEN, id) or 0)
    if since and now - seen < tonumber(ARGV[3]) and (since > mine or (since == mine and stored > version)) then
      standing = SCHEDULE_REPLACED
    elseif definition == '' then
      standing = SCHEDULE_UNKNOWN
    elseif not since and call('HLEN', DEFINITIONS) >= tonumber(ARGV[4]) then
      standing = SCHEDULE_NO_ROOM
    else
      if not since then
        call('HDEL', DELETED, id)
      end
      call('HSET', DEFINITIONS, id, definition)
      if timing ~= stored_timing then
        call('HSET', FIRED, id, format('%.0f', math.max(now, tonumber(call('HGET', FIRED, id) or 0))))
      end
    end
  end
  if standing == SCHEDULE_CURRENT then
    if not created and (stored ~= version or since < mine) then
      call('HSET', VERSIONS, id, format('%.0f', mine) .. ' ' .. version .. ' ' .. timing)
    end
    call('ZADD', SEEN, ARGV[1], id)
  end
  replies[#replies + 1] = {
    standing, tonumber(call('HGET', FIRED, id) or -1), call('HEXISTS', PAUSED, id),
    tonumber(call('HGET', ASKED, id) or -1), tonumber(call('HGET', OPEN, id) or -1)
  }
end
return replies
