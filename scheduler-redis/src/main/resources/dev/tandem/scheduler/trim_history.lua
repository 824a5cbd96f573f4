-- Keeps history within its bounds: the dead by age and count, the succeeded by count, the index of ids by what is
-- left of them. A dead task that halts its key stays, whatever its age, and does not count: as many more are kept as keys
-- are blocked.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    rank among the dead to begin at
-- ARGV 2    age in ms from which on dead tasks go
-- ARGV 3    most dead
-- ARGV 4    most succeeded
-- ARGV 5    cursor of the scan of the index
-- ARGV 6    how many entries to look at
-- Returns   {rank to go on at (0: all seen), cursor to go on at ('0': all seen), count of removed tasks}
-- @include partition_keys
-- @include clock
-- @include batched_commands
-- @include envelope
-- @include blocked_keys
local from_rank, max_age, max_dead, max_succeeded = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local cursor, limit = ARGV[5], tonumber(ARGV[6])

local function halts_its_key(position)
  local envelope = call('HGET', DEAD_TASKS, position)
  local key = envelope and envelope_key(envelope)
  local entry = key and call('HGET', BLOCKED, key)
  return entry and head_of(entry) == position
end

-- Returns the rank to go on at, and how many went.
local function trim_dead()
  local oldest = micros - max_age * 1000
  local too_many = call('ZCARD', DEAD) - call('HLEN', BLOCKED) - max_dead
  local dead = call('ZRANGE', DEAD, from_rank, from_rank + limit - 1, 'WITHSCORES')
  local removed, kept, all_seen = {}, 0, #dead < 2 * limit
  for i = 1, #dead, 2 do
    if tonumber(dead[i + 1]) >= oldest and #removed >= too_many then
      all_seen = true
      break
    end
    if halts_its_key(dead[i]) then
      kept = kept + 1
    else
      removed[#removed + 1] = dead[i]
    end
  end
  each_slice('ZREM', DEAD, removed)
  each_slice('HDEL', DEAD_TASKS, removed)
  return all_seen and 0 or from_rank + kept, #removed
end

local function trim_succeeded()
  local excess = math.min(limit, call('ZCARD', SUCCEEDED) - max_succeeded)
  if excess <= 0 then
    return 0
  end
  local oldest = call('ZRANGE', SUCCEEDED, 0, excess - 1)
  each_slice('ZREM', SUCCEEDED, oldest)
  each_slice('HDEL', SAMPLES, oldest)
  return #oldest
end

-- Returns the cursor to go on at.
local function trim_index()
  local scanned = call('HSCAN', INDEX, cursor, 'COUNT', limit)
  for i = 1, #scanned[2], 2 do
    local id, known, left = scanned[2][i], scanned[2][i + 1], {}
    for position in string.gmatch(known, '[^\n]+') do
      if call('HEXISTS', TASKS, position) == 1 or call('HEXISTS', DEAD_TASKS, position) == 1
          or call('HEXISTS', SAMPLES, position) == 1 then
        left[#left + 1] = position
      end
    end
    if #left == 0 then
      call('HDEL', INDEX, id)
    elseif table.concat(left, '\n') ~= known then
      call('HSET', INDEX, id, table.concat(left, '\n'))
    end
  end
  return scanned[1]
end

local next_rank, removed = trim_dead()
removed = removed + trim_succeeded()
return {next_rank, trim_index(), removed}
