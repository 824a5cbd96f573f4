-- Takes back tasks that were offered and for whose keys the owner has no room: each is due again after its delay. Leaves
-- those that are due already, and heads: somebody else has changed them since.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1-4  request header, see include/fence
-- ARGV 5    MessagePack of {positions, keys, delays in ms}
-- Returns   {REPLY_OK, ms until the next task is due (-1: none)}
-- @include partition_keys
-- @include fence
-- @include clock
-- @include batched_commands
-- @include blocked_keys
-- @include next_times
-- @include apply_request
local positions, keys, delays = unpack(cmsgpack.unpack(ARGV[5]))
apply_request('0')
for i, position in ipairs(positions) do
  local set = SCHEDULED
  local due = call('ZSCORE', SCHEDULED, position)
  if not due then
    set, due = RETRY, call('ZSCORE', RETRY, position)
  end
  local entry = due and tonumber(due) > now and call('HGET', BLOCKED, keys[i])
  if due and tonumber(due) > now and not (entry and head_of(entry) == position) then
    call('ZADD', set, format('%.0f', now + delays[i]), position)
  end
end
return {REPLY_OK, next_due()}
