-- Stores the committed offset, and deletes the bits of whole chunks below it. For a message queue: deletes the
-- identity pages below it, from the oldest up to the first that is not below.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1-4  request header, see include/fence
-- ARGV 5    incarnation; NO_INCARNATION: a message queue
-- ARGV 6    committed offset, or page
-- Returns   {REPLY_OK, ms until the next task is due (-1: none)}
-- @include partition_keys
-- @include fence
-- @include clock
-- @include batched_commands
-- @include next_times
-- @include apply_request
local stored_commit, committed = tonumber(owner[OWNER_STORED_COMMIT]), tonumber(ARGV[6])

local function delete_pages()
  local oldest = call('LINDEX', PAGES, 0)
  while oldest and unpack_one('>I4', oldest) < committed do
    call('LPOP', PAGES)
    oldest = call('LINDEX', PAGES, 0)
  end
end

local function delete_chunks()
  local from = floor(math.max(0, stored_commit) / CHUNK_OFFSETS) * CHUNK_BLOCKS
  local to = floor(committed / CHUNK_OFFSETS) * CHUNK_BLOCKS - 1
  local passed = {}
  if to - from > call('HLEN', SETTLED) then
    for _, number in ipairs(call('HKEYS', SETTLED)) do
      if tonumber(number) <= to then
        passed[#passed + 1] = number
      end
    end
  else
    for number = from, to do
      passed[#passed + 1] = format('%.0f', number)
    end
  end
  each_slice('HDEL', SETTLED, passed)
end

apply_request('0')
if ARGV[5] == NO_INCARNATION then
  delete_pages()
elseif owner[OWNER_INCARNATION] == ARGV[5] and committed > stored_commit then
  call('HSET', OWNER, 'mirror', ARGV[6])
  delete_chunks()
end
return {REPLY_OK, next_due()}
