-- Extends the owner's lease and those of its running claims. Without claims it is the probe.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1-4  request header, see include/fence
-- ARGV 5    lease, ms
-- ARGV 6    MessagePack of {positions, tokens of 8 bytes}
-- Returns   {REPLY_OK, run id, positions that are not claimed under their token, keys that went on since the last
--           renewal, ms until the next task is due (-1: none), ms until the next lease runs out (-1: none), number of
--           tasks held, their bytes, number of blocked keys, the time (µs) and the lead (µs) of tokens}
-- @include partition_keys
-- @include fence
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include next_times
-- @include apply_request
-- @include extend_leases
-- @include epochs
local deadline = format('%.0f', now + ARGV[5])
apply_request('0', 'lease', deadline, 'covered', deadline)
local lost = extend_leases(deadline, cmsgpack.unpack(ARGV[6]))
local opened = call('SPOP', OPENED, MAX_OPENED_KEYS)
-- Estimated from some envelopes, so it takes microseconds however many there are. Unknown where the command is denied.
local bytes = redis.pcall('MEMORY', 'USAGE', TASKS, 'SAMPLES', SAMPLED_ENVELOPES)
return {REPLY_OK, run_id(), lost, opened, next_due(), next_lapse(tonumber(owner[OWNER_QUIET_UNTIL])),
  call('HLEN', TASKS), type(bytes) == 'number' and bytes or 0, call('HLEN', BLOCKED), micros,
  token_lead(tonumber(owner[OWNER_EPOCH]), tonumber(call('HGET', OWNER, 'lead') or '0'))}
