-- Forgets a token of the HTTP API, unless it is the last one with its role that never expires.
--
-- KEYS 1    tokens    hash: id -> role, when it expires in ms or 0, definition, separated by spaces
-- ARGV 1    id
-- ARGV 2    the role of which one such token stays
-- Returns   {TOKEN_REMOVED}, {TOKEN_IS_UNKNOWN} or {TOKEN_IS_LAST}
local call = redis.call
local kept = call('HGET', KEYS[1], ARGV[1])
if not kept then
  return {TOKEN_IS_UNKNOWN}
end
local lasting = ARGV[2] .. ' 0 '
local function lasts(token)
  return string.sub(token, 1, #lasting) == lasting
end
if lasts(kept) then
  local others = 0
  for _, token in ipairs(call('HVALS', KEYS[1])) do
    if lasts(token) then
      others = others + 1
    end
  end
  if others == 1 then
    return {TOKEN_IS_LAST}
  end
end
call('HDEL', KEYS[1], ARGV[1])
return {TOKEN_REMOVED}
