-- Reads the schedules of a bucket that somebody created, unless nothing has changed.
--
-- KEYS      the bucket's, see include/schedule_keys
-- ARGV 1    the revision that the program knows
-- Returns   {revision, and for each schedule {id, version, timing, definition, payload} unless the revision is known}
-- @include schedule_keys
local revision = call('HGET', CREATED, '') or '0'
local reply = {revision}
if revision == ARGV[1] then
  return reply
end
local created = call('HGETALL', CREATED)
for i = 1, #created, 2 do
  local id = created[i]
  if id ~= '' then
    local _, version, timing = version_of(id)
    reply[#reply + 1] = {id, version, timing, call('HGET', DEFINITIONS, id), call('HGET', PAYLOADS, id)}
  end
end
return reply
