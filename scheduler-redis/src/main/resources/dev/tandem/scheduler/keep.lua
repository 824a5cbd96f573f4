-- Extends the leases of a former owner's running claims, by token only.
-- KEYS: the partition's. ARGV 1: lease ms; 2: msgpack of positions, tokens. Answers {0, lost positions}.
-- @include keys
-- @include now
-- @include lists
-- @include claim
-- @include extend
call('HDEL', OWNER, '') -- A removal first, so that a lease can be kept when memory is full.
return {0, extend(format('%.0f', now + ARGV[1]), cmsgpack.unpack(ARGV[2]))}
