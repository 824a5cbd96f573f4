-- Gives up a position that is proven gone: the key that waited for its redelivery goes on. Without a key, the
-- position is forgotten unless it is claimed or in the store.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1-4  request header, see include/fence
-- ARGV 5    position
-- ARGV 6    1 if it has a key
-- ARGV 7    the key
-- Returns   {REPLY_OK, ms until the next task is due (-1: none)}
-- @include partition_keys
-- @include fence
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include envelope
-- @include untold_ends
-- @include envelope_errors
-- @include success_keys
-- @include success_pages
-- @include event_drops
-- @include event_pages
-- @include event_records
-- @include lanes
-- @include blocked_keys
-- @include dead_groups
-- @include error_groups
-- @include settled_bits
-- @include id_index
-- @include redelivery_marks
-- @include note_keys
-- @include settlement_state
-- @include lane_heads
-- @include settle_outcome
-- @include next_times
-- @include apply_request
local position, has_key, key = ARGV[5], ARGV[6] == '1', ARGV[7]
apply_request('0')
local entry = has_key and call('HGET', BLOCKED, key)
if entry and reason_of(entry) == BLOCKED_BY_REDELIVERY and head_of(entry) == position then
  call('HDEL', ATTEMPTS, position)
  forget_notes({position})
  advance_lane(key)
elseif not has_key and call('HEXISTS', CLAIMS, position) == 0 and call('HEXISTS', TASKS, position) == 0 then
  call('HDEL', ATTEMPTS, position)
  forget_notes({position})
  call('ZREM', OWED, position)
end
groups.write()
return {REPLY_OK, next_due()}
