-- Takes custody of messages of an unordered message queue that were redelivered to another partition, where this one
-- knows their positions: under the standing claim, or due later if the claim lapsed. A position that awaited
-- redelivery is done. Each position is given to one asker only. No epoch, no number.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    the asker
-- ARGV 2    channel that wakes the owner
-- ARGV 3    ms before which none of them lapses or is due
-- ARGV 4    MessagePack of positions
-- ARGV 5-   envelopes, in the order of the positions
-- Returns   {REPLY_OK, run id, a text of one letter for each: HANDOVER_OK, _DONE, _GONE, or _NO_ROOM for all}
-- @include partition_keys
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include covered_claims
-- @include next_times
-- @include awaited_redeliveries
-- @include envelope
-- @include id_index
local asker, wake_channel, after = ARGV[1], ARGV[2], now + tonumber(ARGV[3])
local positions, codes, wake = cmsgpack.unpack(ARGV[4]), {}, false

-- Tries a write first: this script brings more than it removes, so it must not begin when memory is full.
if #positions > 0 then
  local tried = redis.pcall('HSET', GIVEN, '', '')
  if type(tried) == 'table' then
    return string.find(tried.err, 'OOM', 1, true)
      and {REPLY_OK, run_id(), string.rep(HANDOVER_NO_ROOM, #positions)} or tried
  end
  call('HDEL', GIVEN, '')
end

local function take(position, envelope, claim)
  call('HSET', TASKS, position, envelope)
  index_id(position, envelope)
  if claim then
    if lease_of(position, claim) < after then
      uncover({position}, {claim}, format('%.0f', after))
    end
  else
    call('ZADD', RETRY, format('%.0f', after), position)
    wake = true
  end
end

for i, position in ipairs(positions) do
  local given, code = call('HGET', GIVEN, position), HANDOVER_GONE
  local claim = call('HGET', CLAIMS, position)
  if given then
    code = sub(given, 2) == asker and sub(given, 1, 1) or HANDOVER_GONE
  elseif still_awaits_redelivery(position) then
    code = HANDOVER_DONE
    call('ZREM', OWED, position)
  elseif call('HEXISTS', TASKS, position) == 0 and (claim or call('HEXISTS', ATTEMPTS, position) == 1) then
    code = HANDOVER_OK
    take(position, ARGV[4 + i], claim)
  end
  if code ~= HANDOVER_GONE and not given then
    call('HSET', GIVEN, position, code .. asker)
    call('PEXPIRE', GIVEN, REDELIVERY_KEPT_MILLIS)
  end
  codes[i] = code
end
write_index()
if wake then
  call('PUBLISH', wake_channel, 'redelivered')
end
return {REPLY_OK, run_id(), table.concat(codes)}
