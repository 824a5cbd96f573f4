-- Keeps history within its bounds: the dead by age and count, the samples of successes that earlier versions kept by age
-- and count (trim_successes does the rest), the index of ids by what is
-- left of them, and settled bits by the stored commit. A dead task that halts its key stays, whatever its age,
-- and does not count: as many more are kept as keys are blocked. One call does a piece of this work; the program calls it until all is done, and goes on where it stopped.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    rank among the dead to begin at; '': leave out the dead and the succeeded
-- ARGV 2    age in ms from which on dead tasks go
-- ARGV 3    most dead
-- ARGV 4    most succeeded
-- ARGV 5    cursor of the scan of the index; '': leave it out
-- ARGV 6    cursor of the scan of settled bits; '': leave them out
-- ARGV 7    how many entries of each to look at
-- ARGV 8    age in ms from which on samples of successes go
-- Returns   {rank to go on at (-1: all seen), count of removed tasks, cursor of the index to go on at ('0': all seen),
--           count of ids that it looked at, of those that it removed, cursor of settled bits to go on at ('0': all seen)}
-- @include partition_keys
-- @include note_keys
-- @include clock
-- @include batched_commands
-- @include envelope
-- @include blocked_keys
-- @include dead_groups
local from_rank, max_age, max_dead, max_succeeded = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local index_cursor, bits_cursor, limit, max_sample_age = ARGV[5], ARGV[6], tonumber(ARGV[7]), tonumber(ARGV[8])
local any_blocked = call('EXISTS', BLOCKED) == 1
call('HDEL', OWNER, '') -- After a removal, Redis lets a script trim even when memory is full.

local function is_halting(position, envelope)
  local key = envelope and envelope_key(envelope)
  local entry = key and call('HGET', BLOCKED, key)
  return entry and head_of(entry) == position
end

-- Returns the rank to go on at (-1: all seen), and how many went. Envelopes are read only if their keys may be blocked, and not more of
-- them than take a few milliseconds.
local function trim_dead()
  local oldest = micros - max_age * 1000
  local too_many = call('ZCARD', DEAD) - call('HLEN', BLOCKED) - max_dead
  local dead = call('ZRANGE', DEAD, from_rank, from_rank + limit - 1, 'WITHSCORES')
  local removed, kept, bytes, all_seen = {}, 0, 0, #dead < 2 * limit
  for i = 1, #dead, 2 do
    if tonumber(dead[i + 1]) >= oldest and #removed >= too_many then
      all_seen = true
      break
    elseif bytes >= MAX_TRIMMED_BYTES then
      all_seen = false
      break
    end
    local envelope = any_blocked and call('HGET', DEAD_TASKS, dead[i]) or ''
    bytes = bytes + #envelope
    if envelope ~= '' and is_halting(dead[i], envelope) then
      kept = kept + 1
    else
      removed[#removed + 1] = dead[i]
    end
  end
  each_slice('ZREM', DEAD, removed)
  each_slice('HDEL', DEAD_TASKS, removed)
  groups.leave(removed)
  groups.write()
  each_slice('HDEL', CHECKPOINTS, removed)
  each_slice('HDEL', PROGRESS, removed)
  return all_seen and -1 or from_rank + kept, #removed
end

local function trim_succeeded()
  local old = call('ZCOUNT', SUCCEEDED, '-inf', format('%.0f', micros - max_sample_age * 1000))
  local excess = math.min(limit, math.max(old, call('ZCARD', SUCCEEDED) - max_succeeded))
  if excess <= 0 then
    return 0
  end
  local oldest = call('ZRANGE', SUCCEEDED, 0, excess - 1)
  each_slice('ZREM', SUCCEEDED, oldest)
  each_slice('HDEL', SAMPLES, oldest)
  return #oldest
end

local function is_kept(position)
  return call('HEXISTS', TASKS, position) == 1 or call('HEXISTS', DEAD_TASKS, position) == 1
    or call('HEXISTS', SAMPLES, position) == 1
end

-- Returns what is left of an id's positions. Of many, it looks at the first ones, and puts those that are left to the
-- end, so that each has its turn.
local function left_of(known)
  local left, looked = {}, 0
  for position, after in string.gmatch(known, '([^\n]+)()') do
    if looked == MAX_TRIMMED_OF_ID then
      return sub(known, after - #position) .. (left[1] and '\n' .. table.concat(left, '\n') or '')
    end
    looked = looked + 1
    if is_kept(position) then
      left[#left + 1] = position
    end
  end
  return table.concat(left, '\n')
end

-- Returns the cursor to go on at, how many ids it looked at, and how many of them went.
local function trim_index()
  local scanned = call('HSCAN', INDEX, index_cursor, 'COUNT', limit)
  local removed = {}
  for i = 1, #scanned[2], 2 do
    local id, known = scanned[2][i], scanned[2][i + 1]
    local left = left_of(known)
    if left == '' then
      removed[#removed + 1] = id
    elseif left ~= known then
      call('HSET', INDEX, id, left)
    end
  end
  each_slice('HDEL', INDEX, removed)
  return scanned[1], #scanned[2] / 2, #removed
end

-- Deletes bits below the stored commit that record_commit left. Returns the cursor to go on at.
local function trim_bits()
  local stored_commit = tonumber(call('HGET', OWNER, 'mirror') or '-1')
  local passed = floor(math.max(0, stored_commit) / CHUNK_OFFSETS) * CHUNK_BLOCKS
  local scanned = call('HSCAN', SETTLED, bits_cursor, 'COUNT', limit)
  local removed = {}
  for i = 1, #scanned[2], 2 do
    if tonumber(scanned[2][i]) < passed then
      removed[#removed + 1] = scanned[2][i]
    end
  end
  each_slice('HDEL', SETTLED, removed)
  return scanned[1]
end

local next_rank, removed, next_index, looked, removed_ids, next_bits = -1, 0, '0', 0, 0, '0'
if from_rank ~= '' then
  next_rank, removed = trim_dead()
  removed = removed + trim_succeeded()
end
if index_cursor ~= '' then
  next_index, looked, removed_ids = trim_index()
end
if bits_cursor ~= '' then
  next_bits = trim_bits()
end
return {next_rank, removed, next_index, looked, removed_ids, next_bits}
