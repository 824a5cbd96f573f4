-- Makes tasks due that wait to look again whether others have ended. Their owner is woken.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    channel that wakes the owner
-- ARGV 2... positions
-- Returns   {REPLY_OK, and the positions of those that do not wait for a time now}
-- @include partition_keys
-- @include clock
local reply, woken = {REPLY_OK}, false
call('HDEL', OWNER, '') -- After a removal, Redis lets a script make tasks due even when memory is full.
for i = 2, #ARGV do
  local due = call('ZSCORE', RETRY, ARGV[i])
  if not due then
    reply[#reply + 1] = ARGV[i]
  elseif tonumber(due) > now then
    call('ZADD', RETRY, format('%.0f', now), ARGV[i])
    woken = true
  end
end
if woken then
  call('PUBLISH', ARGV[1], 'wake')
end
return reply
