-- A former owner's outcome, by token only: claims nothing, makes the lane's next due now, wakes the owner.
-- KEYS: the partition's. ARGV 1: incarnation; 2: channel that wakes the owner; 3: position; 4: token (8 bytes); 5: bit;
--   6: verdict; 7: its number; 8: its envelope; 9: 1 if it has a key; 10: the key; 11: position of the task that its
--   process started next ('': none); 12: that one's token (8 bytes).
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
-- @include queue
-- @include settling
-- @include settle
bits_begin(ARGV[1])
queue_begin(ARGV[1])
local position, key, verdict = ARGV[3], ARGV[9] == '1' and ARGV[10], ARGV[6]
local claim = call('HGET', CLAIMS, position)
local deadline = call('ZSCORE', INFLIGHT, position)
local head = heads(key, position)

-- Takes the next task out of the lane, or of where it waits to be due. False if somebody has it.
local function take_next(following, token)
  local standing = call('HGET', CLAIMS, following)
  if standing then
    return token_of(standing) == token
  elseif call('HEXISTS', DEAD_TASKS, following) == 1 then
    return false
  elseif call('HEXISTS', TASKS, following) == 0 or call('ZREM', SCHEDULED, following) + call('ZREM', RETRY, following) > 0 then
    return true
  end
  local member = in_lane(key, following)
  return member and call('ZREM', LANES, member) == 1
end

local following = ARGV[11]
local relays = following ~= '' and claim and token_of(claim) == ARGV[4]
if relays and is_queue and executor_of(claim) ~= owner[3] then
  -- The owner could not recognise the message of what is claimed now. So this claim ends by itself, as after a death.
  return {0, 0}
end
local next_claim = relays and claim_head() .. claim_tail(ARGV[12], executor_of(claim), key)
if relays and head and (verdict == 'K' or verdict == 'S') and take_next(following, ARGV[12]) then
  -- The lane does not go on: its next runs already, and heads the key from now on.
  block(key, 'F', following)
  if not call('HGET', CLAIMS, following) then
    fresh[following] = next_claim
  end
end
claims[position] = claim
local code = settle(position, ARGV[4], key, is_queue and OWED_MARK or tonumber(ARGV[5]), verdict, tonumber(ARGV[7]), ARGV[8])
if code == 3 then
  return {0, 0}
end
write_settled()
if relays and not head and code == 0 then
  relay(following, next_claim, key)
end
write_fresh(deadline)
write_bits()
if is_queue then
  write_queue()
end
count_settled()
if head and code ~= 2 and (verdict == 'B' or not heads(key, position)) then
  call('SADD', OPENED, key)
end
call('PUBLISH', ARGV[2], 'late')
return {0, 1}
