-- Takes over messages of an unordered queue that came again in another partition, where this one knows their positions:
-- under a claim that stands, or due if it lapsed; what is owed is done. Each is given up to one asker only.
-- KEYS: the partition's. ARGV 1: who asks; 2: channel that wakes the owner; 3: ms before which none lapses or is due;
--   4: msgpack of positions; 5 on: envelopes.
-- Answers {0, run id, codes as one text of O ok, D done, G gone, M no room (all of them)}.
-- @include keys
-- @include now
-- @include lists
-- @include next
-- @include past
-- @include envelope
-- @include index
local positions, codes, woken = cmsgpack.unpack(ARGV[4]), {}, false
local after = now + tonumber(ARGV[3])
if #positions > 0 then
  -- What brings more than it takes is not done when memory is full.
  local tried = redis.pcall('HSET', GIVEN, '', '')
  if type(tried) == 'table' then
    return string.find(tried.err, 'OOM', 1, true) and {0, run_id(), string.rep('M', #positions)} or tried
  end
  call('HDEL', GIVEN, '')
end
for i, position in ipairs(positions) do
  local given, code = call('HGET', GIVEN, position), 'G'
  local claimed = call('HEXISTS', CLAIMS, position) == 1
  if given then
    code = sub(given, 2) == ARGV[1] and sub(given, 1, 1) or 'G'
  elseif still_owed(position) then
    code = 'D'
    call('ZREM', OWED, position)
  elseif call('HEXISTS', TASKS, position) == 0 and (claimed or call('HEXISTS', ATTEMPTS, position) == 1) then
    code = 'O'
    call('HSET', TASKS, position, ARGV[4 + i])
    label(position, ARGV[4 + i])
    if not claimed then
      call('ZADD', RETRY, format('%.0f', after), position)
      woken = true
    else
      call('ZADD', INFLIGHT, 'XX', 'GT', format('%.0f', after), position)
    end
  end
  if code ~= 'G' and not given then
    call('HSET', GIVEN, position, code .. ARGV[1])
    call('PEXPIRE', GIVEN, KEPT)
  end
  codes[i] = code
end
write_labels()
if woken then
  call('PUBLISH', ARGV[2], 'redelivered')
end
return {0, run_id(), table.concat(codes)}
