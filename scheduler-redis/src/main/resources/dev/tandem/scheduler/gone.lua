-- The position that a lapsed key waited for is proven gone: its key goes on. Without a key it is forgotten, if nothing
-- has it.
-- KEYS: the partition's. ARGV 1-4: the fence's; 5: position; 6: 1 if it has a key; 7: the key. Answers {0, next due ms}.
-- @include keys
-- @include fence
-- @include now
-- @include lists
-- @include claim
-- @include envelope
-- @include lanes
-- @include blocked
-- @include bits
-- @include index
-- @include queue
-- @include settling
-- @include settle
-- @include next
-- @include apply
apply('0')
local entry = ARGV[6] == '1' and call('HGET', BLOCKED, ARGV[7])
if entry and sub(entry, 1, 1) == 'R' and head_of(entry) == ARGV[5] then
  call('HDEL', ATTEMPTS, ARGV[5])
  go_on(ARGV[7])
elseif ARGV[6] == '0' and call('HEXISTS', CLAIMS, ARGV[5]) == 0 and call('HEXISTS', TASKS, ARGV[5]) == 0 then
  call('HDEL', ATTEMPTS, ARGV[5])
  call('ZREM', OWED, ARGV[5])
end
return {0, next_due()}
