-- Lists what a message queue's partition knows that a redelivery could be. Changes nothing; no epoch, no number.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV      none
-- Returns   {REPLY_OK, run id, 1 if the list is complete (0: Redis restarted, and since then no owner acquired the
--           partition, or one did within the last lease), claims without an envelope (position, 1 if its executor is
--           not the owner, remaining ms), history, see include/redelivery_history}
-- @include partition_keys
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include covered_claims
-- @include next_times
-- @include redelivery_history
local fields = call('HMGET', OWNER, 'executor', 'run', 'quiet')
local owner, stored_run_id, quiet_until = fields[1], fields[2], fields[3]
local current_run_id = run_id()
local claims, listed = call('HGETALL', CLAIMS), {}
for i = 1, #claims, 2 do
  local position, claim = claims[i], claims[i + 1]
  if position ~= '' and call('HEXISTS', TASKS, position) == 0 then
    local n = #listed
    listed[n + 1], listed[n + 2] = position, claimant_of(claim) ~= owner and 1 or 0
    listed[n + 3] = lease_of(position, claim) - now
  end
end
local complete = not owner or (stored_run_id == current_run_id and now >= tonumber(quiet_until or '0'))
return {REPLY_OK, current_run_id, complete and 1 or 0, listed, redelivery_history()}
