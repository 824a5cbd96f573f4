-- Reads the statistics of a queue.
--
-- KEYS      the points in progress; the list of those of one length that are over
-- ARGV      how many of the latest ones of that list to read; then the lengths of the points in progress that are to be read: up to
--           that of the list, since a longer one is not part of what was asked for
-- Returns   {REPLY_OK, the time (minutes since 1970), and points as add_statistics writes them, in no order}
local call = redis.call
local time = call('TIME')
local reply = {REPLY_OK, math.floor(time[1] / 60)}
for i = 2, #ARGV do
  local point = call('HGET', KEYS[1], ARGV[i])
  if point then
    reply[#reply + 1] = point
  end
end
for _, point in ipairs(call('LRANGE', KEYS[2], -tonumber(ARGV[1]), -1)) do
  reply[#reply + 1] = point
end
return reply
