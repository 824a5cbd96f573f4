-- Finds the commands that the user of this connection may not use. Runs none of them.
--
-- KEYS      a key of Tandem, of which nothing is read or written
-- ARGV 1    a channel of Tandem
-- ARGV 2..  commands: k, c or n, for one of keys, of channels or of neither, then its words, with | between them
-- Returns   {REPLY_OK, 1 if this Redis can tell (7.0 and later), refused commands, without their first letter}
local check = redis.acl_check_cmd
if not check then
  return {REPLY_OK, 0}
end
local reply = {REPLY_OK, 1}
for i = 2, #ARGV do
  local name = string.sub(ARGV[i], 2)
  local words = {}
  for word in string.gmatch(name, '[^|]+') do
    words[#words + 1] = word
  end
  local kind = string.sub(ARGV[i], 1, 1)
  if kind == 'k' then
    words[#words + 1] = KEYS[1]
  elseif kind == 'c' then
    words[#words + 1] = ARGV[1]
  end
  -- A Redis that does not know the command raises an error: nobody needs the right there.
  local known, allowed = pcall(check, unpack(words))
  if known and not allowed then
    reply[#reply + 1] = name
  end
end
return reply
