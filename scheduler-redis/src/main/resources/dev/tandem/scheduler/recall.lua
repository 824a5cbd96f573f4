-- What a queue's redelivery could be that this partition knows. Changes nothing.
-- KEYS: the partition's. Answers {0, run id, claims without an envelope (position, 1 if it is not the owner's, remaining
--   ms), past}.
-- @include keys
-- @include now
-- @include claim
-- @include next
-- @include past
local owner = call('HGET', OWNER, 'executor')
local claims, listed = call('HGETALL', CLAIMS), {}
for i = 1, #claims, 2 do
  local position, claim = claims[i], claims[i + 1]
  if position ~= '' and call('HEXISTS', TASKS, position) == 0 then
    local n = #listed
    listed[n + 1], listed[n + 2] = position, executor_of(claim) ~= owner and 1 or 0
    listed[n + 3] = tonumber(call('ZSCORE', INFLIGHT, position) or now) - now
  end
end
return {0, run_id(), listed, past()}
