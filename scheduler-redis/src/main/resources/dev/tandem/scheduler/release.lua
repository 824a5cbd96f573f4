-- Gives the partition up: the owner's lease ends for all but older generations, claims stay.
-- KEYS: the partition's. ARGV 1-4: the fence's. Answers {0, next due ms}.
-- @include keys
-- @include fence
-- @include now
-- @include next
-- @include apply
apply('0', 'released', '1')
return {0, next_due()}
