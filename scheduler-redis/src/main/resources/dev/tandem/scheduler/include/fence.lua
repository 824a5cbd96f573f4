-- Checks the request header: the epoch first, then the number. If either is wrong, the script ends here.
-- Requires: partition_keys.
-- Provides: WRITER (field of the writer's number), owner (fields by OWNER_... constants).
--
-- ARGV 1   writer
-- ARGV 2   number
-- ARGV 3   epoch
-- ARGV 4   highest token that the request names; 0: none
-- Returns  {REPLY_FENCED}, {REPLY_APPLIED} or {REPLY_GAP, stored number}
local WRITER = 'writer:' .. ARGV[HEADER_WRITER]
local owner = call('HMGET', OWNER, 'epoch', 'token', 'executor', 'incarnation', 'highwater', 'mirror', 'quiet', WRITER)
if owner[OWNER_EPOCH] ~= ARGV[HEADER_EPOCH] then
  return {REPLY_FENCED}
end
local stored = owner[OWNER_NUMBER] or '0'
if stored == ARGV[HEADER_NUMBER] then
  return {REPLY_APPLIED}
elseif tonumber(stored) + 1 ~= tonumber(ARGV[HEADER_NUMBER]) then
  return {REPLY_GAP, tonumber(stored)}
end
