-- Reads the next page of what an acquire could not answer at once. Changes nothing.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    the epoch that the acquire began
-- ARGV 2    section to go on in, see include/acquired_pages
-- ARGV 3    cursor to go on at
-- Returns   {REPLY_FENCED}: somebody else has acquired the partition since; or {REPLY_OK, page, see include/acquired_pages}
-- @include partition_keys
-- @include clock
-- @include acquired_pages
if call('HGET', OWNER, 'epoch') ~= ARGV[1] then
  return {REPLY_FENCED}
end
return {REPLY_OK, read_page(tonumber(ARGV[2]), ARGV[3])}
