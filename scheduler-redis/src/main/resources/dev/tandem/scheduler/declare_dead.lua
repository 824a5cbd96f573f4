-- Ends the leases of an executor that is proven dead: that of the ownership, and those of its claims. The next patrol
-- counts the claims as lapsed, as if their leases had run out. A request that the dead one had sent is fenced.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    executor
-- ARGV 2    channel that wakes the owner
-- Returns   {REPLY_OK, 1 if it was the owner, else 0, count of its claims}
-- @include partition_keys
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include covered_claims
-- @include epochs
local dead, wake_channel = ARGV[1], ARGV[2]
local owner = call('HMGET', OWNER, 'executor', 'token', 'lead', 'lease', 'epoch')
if not owner[1] then
  return {REPLY_OK, 0, 0}
end
-- After a removal, Redis lets a script finish even when memory is full.
call('HDEL', OWNER, '')
local was_owner = owner[1] == dead
if was_owner then
  local epoch = epoch_after(tonumber(owner[2]), tonumber(owner[5]), tonumber(owner[3]))
  call('HSET', OWNER, 'epoch', format('%.0f', epoch), 'token', format('%.0f', epoch),
    'lead', format('%.0f', epoch - micros), 'lease', format('%.0f', math.min(tonumber(owner[4]), now)))
end
local positions, claims = {}, {}
local all = call('HGETALL', CLAIMS)
for i = 1, #all, 2 do
  if all[i] ~= '' and claimant_of(all[i + 1]) == dead then
    positions[#positions + 1] = all[i]
    claims[#positions] = all[i + 1]
  end
end
uncover(positions, claims, format('%.0f', now))
if was_owner or #positions > 0 then
  call('PUBLISH', wake_channel, 'dead')
end
return {REPLY_OK, was_owner and 1 or 0, #positions}
