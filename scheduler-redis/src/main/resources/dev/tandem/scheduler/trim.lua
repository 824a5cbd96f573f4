-- Keeps history within its bounds: the dead by age and count, the succeeded by count, labels of what has gone. A dead
-- task that halts its key stays, whatever its age.
-- KEYS: the partition's. ARGV 1: rank among the dead to begin at; 2: dead older than this many ms go; 3: most dead;
--   4: most succeeded; 5: the labels' scan cursor; 6: how many to look at.
-- Answers {rank to go on at (0: all seen), labels' cursor to go on at ('0': all seen), removed}.
-- @include keys
-- @include now
-- @include lists
-- @include envelope
-- @include blocked
local from, look = tonumber(ARGV[1]), tonumber(ARGV[6])
local oldest = micros - ARGV[2] * 1000
local removed = 0

local too_many = call('ZCARD', DEAD) - tonumber(ARGV[3])
local dead = call('ZRANGE', DEAD, from, from + look - 1, 'WITHSCORES')
local gone, kept = {}, 0
for i = 1, #dead, 2 do
  if tonumber(dead[i + 1]) >= oldest and #gone >= too_many then
    dead = {}
    break
  end
  local position = dead[i]
  local envelope = call('HGET', DEAD_TASKS, position)
  local key = envelope and envelope_key(envelope)
  local entry = key and call('HGET', BLOCKED, key)
  if entry and head_of(entry) == position then
    kept = kept + 1
  else
    gone[#gone + 1] = position
  end
end
each_slice('ZREM', DEAD, gone)
each_slice('HDEL', DEAD_TASKS, gone)
removed = removed + #gone
local next_rank = #dead == 2 * look and from + kept or 0

local excess = math.min(look, call('ZCARD', SUCCEEDED) - tonumber(ARGV[4]))
if excess > 0 then
  local ended = call('ZRANGE', SUCCEEDED, 0, excess - 1)
  each_slice('ZREM', SUCCEEDED, ended)
  each_slice('HDEL', SAMPLES, ended)
  removed = removed + #ended
end

local scanned = call('HSCAN', INDEX, ARGV[5], 'COUNT', look)
for i = 1, #scanned[2], 2 do
  local id, alive = scanned[2][i], {}
  for position in string.gmatch(scanned[2][i + 1], '[^\n]+') do
    if call('HEXISTS', TASKS, position) == 1 or call('HEXISTS', DEAD_TASKS, position) == 1
        or call('HEXISTS', SAMPLES, position) == 1 then
      alive[#alive + 1] = position
    end
  end
  if #alive == 0 then
    call('HDEL', INDEX, id)
  elseif table.concat(alive, '\n') ~= scanned[2][i + 1] then
    call('HSET', INDEX, id, table.concat(alive, '\n'))
  end
end
return {next_rank, scanned[1], removed}
