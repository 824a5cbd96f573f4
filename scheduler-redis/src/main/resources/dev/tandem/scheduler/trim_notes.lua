-- Removes notes of tasks that are gone: an executor of an earlier version ended them, or the broker lost them. One call
-- looks at some notes; the program calls it again, and goes on where it stopped.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    cursor of the scan of checkpoints
-- ARGV 2    cursor of the scan of progress
-- ARGV 3    how many entries of each to look at, about
-- ARGV 4    age in ms from which on they may go
-- Returns   {cursors to go on at ('0': all seen), count of removed notes}
-- @include partition_keys
-- @include clock
-- @include batched_commands
local limit, oldest = ARGV[3], now - ARGV[4]
call('HDEL', OWNER, '') -- After a removal, Redis lets a script trim even when memory is full.

local function is_known(position)
  return call('HEXISTS', CLAIMS, position) == 1 or call('HEXISTS', TASKS, position) == 1
    or call('HEXISTS', ATTEMPTS, position) == 1 or call('HEXISTS', DEAD_TASKS, position) == 1
end

local function trim(key, cursor)
  local scanned, removed = call('HSCAN', key, cursor, 'COUNT', limit), {}
  for i = 1, #scanned[2], 2 do
    if unpack_one('>I6', scanned[2][i + 1], 2) < oldest and not is_known(scanned[2][i]) then
      removed[#removed + 1] = scanned[2][i]
    end
  end
  each_slice('HDEL', key, removed)
  return scanned[1], #removed
end

local checkpoints, removed_checkpoints = trim(KEYS[25], ARGV[1])
local progress, removed_progress = trim(KEYS[26], ARGV[2])
return {checkpoints, progress, removed_checkpoints + removed_progress}
