-- A former owner's outcome, by token only: claims nothing, makes the lane's next due now, wakes the owner.
-- KEYS: the partition's. ARGV 1: incarnation; 2: channel that wakes the owner; 3: position; 4: token (8 bytes); 5: bit;
--   6: verdict; 7: its number; 8: its envelope; 9: 1 if it has a key; 10: the key.
-- Answers {0, 1 if recorded}.
-- @include keys
local owner = call('HMGET', OWNER, 'epoch', 'token', 'executor', 'incarnation', 'highwater', 'mirror')
if not owner[1] then
  return {0, 0}
end
call('HDEL', OWNER, '') -- A removal first, so that outcomes are recorded when memory is full.
-- @include now
-- @include lists
-- @include claim
-- @include envelope
-- @include lanes
-- @include blocked
-- @include bits
-- @include index
-- @include settle
bits_begin(ARGV[1])
local position, key, verdict = ARGV[3], ARGV[9] == '1' and ARGV[10], ARGV[6]
claims[position] = call('HGET', CLAIMS, position)
local head = heads(key, position)
local code = settle(position, ARGV[4], key, tonumber(ARGV[5]), verdict, tonumber(ARGV[7]), ARGV[8])
if code == 3 then
  return {0, 0}
end
write_settled()
write_bits()
count_settled()
if head and code ~= 2 and (verdict == 'B' or not heads(key, position)) then
  call('SADD', OPENED, key)
end
call('PUBLISH', ARGV[2], 'late')
return {0, 1}
