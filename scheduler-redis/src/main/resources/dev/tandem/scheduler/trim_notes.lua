-- Removes notes of tasks that are gone: an executor of an earlier version ended them, or the broker lost them. One call
-- looks at a random sample, so it needs no place to go on at. It reads positions only, and values just of tasks that are
-- gone: a checkpoint may have a megabyte.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    how many entries of each hash to look at
-- ARGV 2    age in ms from which on they may go
-- Returns   {count of removed notes}
-- @include partition_keys
-- @include note_keys
-- @include clock
-- @include batched_commands
local limit, oldest, bytes = ARGV[1], now - ARGV[2], 0
call('HDEL', OWNER, '') -- After a removal, Redis lets a script trim even when memory is full.

local function is_known(position)
  return call('HEXISTS', CLAIMS, position) == 1 or call('HEXISTS', TASKS, position) == 1
    or call('HEXISTS', ATTEMPTS, position) == 1 or call('HEXISTS', DEAD_TASKS, position) == 1
end

local function trim(key)
  local removed = {}
  for _, position in ipairs(call('HRANDFIELD', key, limit)) do
    if bytes >= MAX_TRIMMED_BYTES then
      break
    elseif not is_known(position) then
      local note = call('HGET', key, position)
      bytes = bytes + #note
      if unpack_one('>I6', note, 2) < oldest then
        removed[#removed + 1] = position
      end
    end
  end
  each_slice('HDEL', key, removed)
  return #removed
end

return {trim(CHECKPOINTS) + trim(PROGRESS)}
