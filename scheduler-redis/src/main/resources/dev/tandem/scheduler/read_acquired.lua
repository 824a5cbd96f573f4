-- Reads the next page of what an acquire could not answer at once, and extends the owner's lease, since there may be many.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    the epoch that the acquire began
-- ARGV 2    section to go on in, see include/acquired_pages
-- ARGV 3    cursor to go on at
-- ARGV 4    lease, ms
-- Returns   {REPLY_FENCED}: somebody else has acquired the partition since; or {REPLY_OK, page, see include/acquired_pages}
-- @include partition_keys
-- @include clock
-- @include pages
-- @include acquired_pages
if call('HGET', OWNER, 'epoch') ~= ARGV[1] then
  return {REPLY_FENCED}
end
call('HDEL', OWNER, '') -- A removal comes first, so that the lease is kept even when memory is full.
local deadline = format('%.0f', now + ARGV[4])
call('HSET', OWNER, 'lease', deadline, 'covered', deadline)
return {REPLY_OK, read_page(tonumber(ARGV[2]), ARGV[3])}
