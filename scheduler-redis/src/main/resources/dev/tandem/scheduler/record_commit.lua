-- Stores the committed offset, and deletes the bits of whole chunks below it: of so many that it does not take long;
-- trim_history deletes the rest. For a message queue: deletes the identity pages below it, from the oldest up to the
-- first that is not below, and likewise not too many.
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
  for _ = 1, MAX_DELETED_PAGES do
    local oldest = call('LINDEX', PAGES, 0)
    if not oldest or unpack_one('>I4', oldest) >= committed then
      break
    end
    call('LPOP', PAGES)
  end
end

-- Of a few blocks all are looked at, whatever the range: it may span a gap.
local function delete_chunks()
  local from = floor(math.max(0, stored_commit) / CHUNK_OFFSETS) * CHUNK_BLOCKS
  local to = floor(committed / CHUNK_OFFSETS) * CHUNK_BLOCKS - 1
  local passed = {}
  local count = call('HLEN', SETTLED)
  if to - from > count and count <= MAX_DELETED_BLOCKS then
    for _, number in ipairs(call('HKEYS', SETTLED)) do
      if tonumber(number) <= to then
        passed[#passed + 1] = number
      end
    end
  else
    for number = from, math.min(to, from + MAX_DELETED_BLOCKS - 1) do
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
