-- Puts messages into the mailbox of a process, as far as there is room, and wakes it.
--
-- KEYS 1    list: messages, from the oldest on
-- ARGV 1    channel that wakes the process
-- ARGV 2    most messages of a mailbox
-- ARGV 3    for how long they are kept if nobody takes them, s
-- ARGV 4-   messages
-- Returns   {how many of them there was room for, from the first on}
local call = redis.call
local taken = math.min(#ARGV - 3, math.max(0, ARGV[2] - call('LLEN', KEYS[1])))
for i = 4, 3 + taken do
  call('RPUSH', KEYS[1], ARGV[i])
end
if taken > 0 then
  call('EXPIRE', KEYS[1], ARGV[3])
  call('PUBLISH', ARGV[1], 'mail')
end
return {taken}
