-- First the epoch, then the number. ARGV 1: writer, 2: number, 3: epoch, 4: highest token that the request names.
-- Answers {1} applied before, {2, stored} gap, {3} fenced; else the script goes on and answers {0, ...}.
local WRITER = 'writer:' .. ARGV[1]
local owner = call('HMGET', OWNER, 'epoch', 'token', 'executor', 'incarnation', 'highwater', 'mirror', 'quiet', WRITER)
if owner[1] ~= ARGV[3] then
  return {3}
end
local stored = owner[8] or '0'
if stored == ARGV[2] then
  return {1}
elseif tonumber(stored) + 1 ~= tonumber(ARGV[2]) then
  return {2, tonumber(stored)}
end
