-- Begins an operation on many tasks: from now on, any server may claim it. Forgets old ones.
--
-- KEYS      see include/operation_keys
-- ARGV 1    operation: queue, slash, id
-- ARGV 2    its definition
-- ARGV 3    most operations that have not ended
-- ARGV 4    how long one is kept that has ended, ms
-- ARGV 5    most of those
-- ARGV 6    how long one is kept that has ended and only counted, ms
-- ARGV 7    most of those
-- Returns   {OPERATION_BEGUN}, {OPERATION_KNOWN}: there is the same one, {OPERATION_DIFFERS}: there is another one with this
--           id, or {OPERATION_NO_ROOM}
-- @include operation_keys
local name, definition = ARGV[1], ARGV[2]

local function forget(ends, operations)
  for _, operation in ipairs(operations) do
    call('HDEL', DEFINITIONS, operation)
    call('HDEL', PROGRESS, operation)
    call('HDEL', STOPS, operation)
    call('ZREM', ends, operation)
  end
end

local function forget_old(ends, kept, most)
  forget(ends, call('ZRANGEBYSCORE', ends, '-inf', format('%.0f', now - kept), 'LIMIT', 0, MAX_FORGOTTEN_OPERATIONS))
  local too_many = math.min(call('ZCARD', ends) - most, MAX_FORGOTTEN_OPERATIONS)
  if too_many > 0 then
    forget(ends, call('ZRANGE', ends, 0, too_many - 1))
  end
end

local known = call('HGET', DEFINITIONS, name)
if known then
  return {string.match(known, '^%d+ (.*)$') == definition and OPERATION_KNOWN or OPERATION_DIFFERS}
elseif call('ZCARD', OPEN) >= tonumber(ARGV[3]) then
  return {OPERATION_NO_ROOM}
end
forget_old(ENDED, ARGV[4], ARGV[5])
forget_old(COUNTED, ARGV[6], ARGV[7])
call('HSET', DEFINITIONS, name, format('%.0f', micros) .. ' ' .. definition)
call('ZADD', OPEN, now_text, name)
return {OPERATION_BEGUN}
