-- Takes messages out of the mailbox of a process.
--
-- KEYS 1    list: messages, from the oldest on
-- ARGV 1    most messages of a reply
-- ARGV 2    bytes of messages after which no more are returned
-- Returns   {how many are left, messages}
local call = redis.call
local messages, bytes = {}, 0
while #messages < tonumber(ARGV[1]) and bytes < tonumber(ARGV[2]) do
  local message = call('LPOP', KEYS[1])
  if not message then
    break
  end
  messages[#messages + 1] = message
  bytes = bytes + #message
end
return {call('LLEN', KEYS[1]), messages}
