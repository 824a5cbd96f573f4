-- Extends the owner's lease and those of its running claims. Without claims it is the probe.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1-4  request header, see include/fence
-- ARGV 5    lease, ms
-- ARGV 6    MessagePack of {positions, tokens of 8 bytes}
-- Returns   {REPLY_OK, run id, positions that are not claimed under their token, keys that went on since the last
--           renewal, ms until the next task is due (-1: none), ms until the next lease runs out (-1: none), number of
--           tasks held, their bytes (-1: not estimated now), number of blocked keys, the time (µs) and the lead (µs) of
--           tokens}
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
local held = call('HLEN', TASKS)
local kept = call('HMGET', OWNER, 'lead', 'weighed')
-- Redis walks over empty buckets to the envelopes that it samples, and a hash that was drained can have millions. So it
-- samples seldom, and a small part of all: it looks at the same part of the buckets.
local weighs = held >= FEWEST_WEIGHED_TASKS and math.abs(now - (kept[2] or 0)) >= WEIGHED_EVERY_MILLIS
if weighs then
  apply_request('0', 'lease', deadline, 'covered', deadline, 'weighed', format('%.0f', now))
else
  apply_request('0', 'lease', deadline, 'covered', deadline)
end
local lost = extend_leases(deadline, cmsgpack.unpack(ARGV[6]))
local opened = call('SPOP', OPENED, MAX_OPENED_KEYS)
local samples = math.min(MAX_SAMPLED_ENVELOPES, floor(held / SAMPLED_SHARE))
local bytes = weighs and redis.pcall('MEMORY', 'USAGE', TASKS, 'SAMPLES', samples) -- An error where it is denied.
return {REPLY_OK, run_id(), lost, opened, next_due(), next_lapse(tonumber(owner[OWNER_QUIET_UNTIL])),
  held, type(bytes) == 'number' and bytes or -1, call('HLEN', BLOCKED), micros,
  token_lead(tonumber(owner[OWNER_EPOCH]), tonumber(kept[1] or '0'))}
