-- Mirrors the committed offset and drops the bits of whole chunks (16,384) below it. In a queue (incarnation -1): drops
-- the pages below it, from the oldest up to the first that is not.
-- KEYS: the partition's. ARGV 1-4: the fence's; 5: incarnation; 6: committed. Answers {0, next due ms}.
-- @include keys
-- @include fence
-- @include now
-- @include lists
-- @include next
-- @include apply
local BLOCKS = 32 -- of 512 bits in a chunk
local before, committed = tonumber(owner[6]), tonumber(ARGV[6])
apply('0')
if ARGV[5] == '-1' then
  local oldest = call('LINDEX', PAGES, 0)
  while oldest and unpack_one('>I4', oldest) < committed do
    call('LPOP', PAGES)
    oldest = call('LINDEX', PAGES, 0)
  end
elseif owner[4] == ARGV[5] and committed > before then
  call('HSET', OWNER, 'mirror', ARGV[6])
  local from = floor(math.max(0, before) / 16384) * BLOCKS
  local to = floor(committed / 16384) * BLOCKS - 1
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
return {0, next_due()}
