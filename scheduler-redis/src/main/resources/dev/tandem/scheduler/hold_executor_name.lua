-- Holds the name of an executor, which one process may have at a time. The name's record is its holder, a space, and
-- when the holder last said that it lives (ms).
--
-- KEYS 1    the name's
-- ARGV 1    this process: the id of its executor
-- ARGV 2    take: if nobody holds it, or if its record is that of argument 3; keep: if no other holds it; leave: give
--           it up
-- ARGV 3    record of a holder that is certainly dead; '': none
-- ARGV 4    how long the record is kept, ms
-- Returns   {1, record before ('': none)}; or {0, record of another holder, ms since it was written}
local call = redis.call
local executor, what, replaced = ARGV[1], ARGV[2], ARGV[3]
local record = call('GET', KEYS[1])
local mine = record and string.sub(record, 1, #executor + 1) == executor .. ' '
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if record and not mine and not (what == 'take' and record == replaced) then
  return {0, record, now - tonumber(string.match(record, ' (%d+)$'))}
end
if what == 'leave' then
  call('DEL', KEYS[1])
else
  call('SET', KEYS[1], executor .. ' ' .. string.format('%.0f', now), 'PX', ARGV[4])
end
return {1, record or ''}
