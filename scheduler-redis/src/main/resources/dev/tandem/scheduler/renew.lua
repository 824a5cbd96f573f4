-- Extends the owner's lease and those of its running claims; without claims it is the probe.
-- KEYS: the partition's. ARGV 1-4: the fence's; 5: lease ms; 6: msgpack of positions, tokens.
-- Answers {0, run id, lost positions, opened keys, next due ms, next lapse ms}.
-- @include keys
-- @include fence
-- @include now
-- @include lists
-- @include claim
-- @include next
-- @include apply
-- @include extend
local deadline = format('%.0f', now + ARGV[5])
apply('0', 'lease', deadline)
local lost = extend(deadline, cmsgpack.unpack(ARGV[6]))
local opened = call('SMEMBERS', OPENED)
if #opened > 0 then
  call('DEL', OPENED)
end
return {0, run_id(), lost, opened, next_due(), next_lapse(tonumber(owner[7]))}
