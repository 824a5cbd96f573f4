-- What a queue's redelivery could be that this partition knows. Changes nothing.
-- KEYS: the partition's. Answers {0, run id, 1 if it has all (0: restarted, and its owner has not acquired it since, or
--   only just), claims without an envelope (position, 1 if it is not the owner's, remaining ms), past}.
-- @include keys
-- @include now
-- @include claim
-- @include next
-- @include past
local fields = call('HMGET', OWNER, 'executor', 'run', 'quiet')
local owner, run = fields[1], run_id()
local claims, listed = call('HGETALL', CLAIMS), {}
for i = 1, #claims, 2 do
  local position, claim = claims[i], claims[i + 1]
  if position ~= '' and call('HEXISTS', TASKS, position) == 0 then
    local n = #listed
    listed[n + 1], listed[n + 2] = position, executor_of(claim) ~= owner and 1 or 0
    listed[n + 3] = tonumber(call('ZSCORE', INFLIGHT, position) or now) - now
  end
end
local complete = not owner or (fields[2] == run and now >= tonumber(fields[3] or '0'))
return {0, run, complete and 1 or 0, listed, past()}
