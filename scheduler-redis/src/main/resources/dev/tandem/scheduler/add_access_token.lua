-- Keeps a token of the HTTP API. If there is no room, tokens that have expired make some.
--
-- KEYS 1    tokens    hash: id -> role, when it expires in ms or 0, definition, separated by spaces
-- ARGV 1    id
-- ARGV 2    what is kept of it
-- ARGV 3    most tokens
-- ARGV 4    a role: the token is kept only if no token with this role is good for ever; '' if that does not matter
-- Returns   {TOKEN_ADDED}, {TOKENS_ARE_FULL} or {TOKEN_IS_NOT_FIRST}
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[4] ~= '' then
  for _, kept in ipairs(call('HVALS', KEYS[1])) do
    local role, expires = string.match(kept, '^(%S+) (%d+) ')
    if role == ARGV[4] and expires == '0' then
      return {TOKEN_IS_NOT_FIRST}
    end
  end
end
if call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then
  local all = call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    local expires = string.match(all[i + 1], '^%S+ (%d+) ')
    if expires ~= '0' and tonumber(expires) <= now then
      call('HDEL', KEYS[1], all[i])
    end
  end
  if call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then
    return {TOKENS_ARE_FULL}
  end
end
call('HSET', KEYS[1], ARGV[1], ARGV[2])
return {TOKEN_ADDED}
