-- Moves custody to the store: schedules, parks, adopts, buries, in order.
-- KEYS: the partition's. ARGV 1-4: the fence's; 5: incarnation; 6: high-water mark; 7: most parked per key; 8: most per
--   partition; 9: msgpack of positions, keys (false: none), bits, moves (S, P, A, B), due times, envelopes' indexes
--   (-1: none); 10 on: envelopes.
-- Answers {0, codes as one text of O ok, D done, P open, F full, G gone, M no room (all of them), next due ms}.
-- No removal first: what brings more than it takes is not done when memory is full, only its number is.
-- @include keys
-- @include fence
-- @include now
-- @include lists
-- @include claim
-- @include lanes
-- @include blocked
-- @include bits
-- @include envelope
-- @include index
-- @include queue
-- @include later
-- @include next
local positions, keys, offsets, moves, times, blobs = unpack(cmsgpack.unpack(ARGV[9]))
bits_begin(ARGV[5])
queue_begin(ARGV[5])
local written = redis.pcall('HSET', OWNER, WRITER, ARGV[2], 'highwater',
  bits_current and tonumber(ARGV[6]) > tonumber(owner[5]) and ARGV[6] or owner[5])
if type(written) == 'table' then
  if not string.find(written.err, 'OOM', 1, true) then
    return written
  end
  call('HDEL', OWNER, '')
  call('HSET', OWNER, WRITER, ARGV[2])
  return {0, string.rep('M', #positions), next_due()}
end
local max_per_key, max_parked = tonumber(ARGV[7]), tonumber(ARGV[8])
local some_dead = call('EXISTS', DEAD_TASKS) == 1
local some_lapsed = call('EXISTS', ATTEMPTS) == 1
local parked_before = call('ZCARD', LANES)
local entries, sizes, full, own = {}, {}, {}, {}
local tasks, scheduled, lanes, dead_tasks, dead = {}, {}, {}, {}, {}
local numbers, parked = lane_numbers(#positions), 0
local codes = {}
local fields, has = {}, {} -- positions with an envelope -> 1 if the store has it already

local function put(list, one, two)
  local n = #list
  list[n + 1] = one
  list[n + 2] = two
end

-- Writes what has gathered: at the end, and before a position that comes twice, so that its second entry sees the first.
local function write_handed()
  each_slice('HSET', TASKS, tasks)
  each_slice('ZADD', SCHEDULED, scheduled)
  each_slice('ZADD', LANES, lanes)
  write_later()
  each_slice('HSET', DEAD_TASKS, dead_tasks)
  each_slice('ZADD', DEAD, dead)
  if #dead > 0 then
    call('HINCRBY', STATS, 'dead', #dead / 2)
    some_dead = true
  end
  for position in pairs(own) do
    has[position] = nil
  end
  own, tasks, scheduled, lanes, dead_tasks, dead = {}, {}, {}, {}, {}, {}
end

-- What blocks a key; kept in step with what this request changes.
local function entry_of(key)
  local entry = entries[key]
  if entry == nil then
    entry = call('HGET', BLOCKED, key)
    entries[key] = entry
  end
  return entry
end

local function park(position, key, blob, moves_lane)
  local entry = key and entry_of(key)
  if not entry or head_of(entry) == position then
    return 'P'
  end
  sizes[key] = sizes[key] or lane_size(key)
  if full[key] or sizes[key] >= max_per_key or not moves_lane and parked_before + parked >= max_parked then
    full[key] = true
    return 'F'
  end
  if moves_lane then
    call('ZREM', SCHEDULED, position)
    call('ZREM', RETRY, position)
  else
    put(tasks, position, blob)
  end
  sizes[key] = sizes[key] + 1
  parked = parked + 1
  -- What had begun goes before all that waits.
  local lapsed = not moves_lane and some_lapsed and call('HEXISTS', ATTEMPTS, position) == 1
  put(lanes, '0', lane_member(key, lapsed and front_number() or numbers + parked, position))
  return 'O'
end

local function adopt(position, key, blob)
  local claim = call('HGET', CLAIMS, position)
  if not claim then
    return 'G'
  end
  if key then
    local entry = entry_of(key)
    local head = entry and head_of(entry) ~= position and call('HGET', CLAIMS, head_of(entry))
    local overtaken = head and number_of(token_of(head)) > number_of(token_of(claim))
    if not overtaken and (not entry or head_of(entry) ~= position) then
      block(key, executor_of(claim) == owner[3] and 'H' or 'F', position)
      entries[key] = call('HGET', BLOCKED, key)
    end
  end
  put(tasks, position, blob)
  return 'O'
end

-- Only those with an envelope are asked for at once, for hardly one of them is.
for i = 1, #positions do
  if blobs[i] >= 0 then
    fields[#fields + 1] = positions[i]
  end
end
for i, envelope in ipairs(hmget(TASKS, fields)) do
  has[fields[i]] = envelope and 1 or 0
end

for i = 1, #positions do
  local position, key, offset, move = positions[i], keys[i], offsets[i], moves[i]
  local blob = blobs[i] >= 0 and ARGV[10 + blobs[i]] or nil
  if own[position] then
    write_handed()
  end
  local moves_lane = move == 'P' and not blob
    and (call('ZSCORE', SCHEDULED, position) or call('ZSCORE', RETRY, position))
  local code
  local settled = not moves_lane and (has_bit(offset) or (has[position] or call('HEXISTS', TASKS, position)) == 1
    or some_dead and call('HEXISTS', DEAD_TASKS, position) == 1 or is_queue and is_owed(position))
  if settled then
    code = 'D'
  elseif not blob and not moves_lane then
    code, offset = 'D', -1 -- Nothing to park: it is not here.
  elseif move == 'P' then
    code = park(position, key, blob, moves_lane)
  elseif move == 'A' then
    code = adopt(position, key, blob)
  elseif move == 'S' then
    put(tasks, position, blob)
    if times[i] - now >= FAR then
      later(position, times[i])
    else
      put(scheduled, format('%.0f', times[i]), position)
    end
    code = 'O'
  else
    put(dead_tasks, position, blob)
    put(dead, format('%.0f', micros + i), position)
    code = 'O'
  end
  if code == 'O' then
    own[position] = true
    if blob then
      label(position, blob)
    end
  end
  if is_queue and (settled or code == 'O') then
    remember(offset, position)
    if settled and offset ~= OWED_MARK then
      owes[position] = false
    elseif not settled and not moves_lane and offset == OWED_MARK then
      owes[position] = true
    end
  elseif (code == 'O' or code == 'D') and offset >= 0 then
    set_bit(offset)
  end
  codes[i] = code
end
write_handed()
write_bits()
if is_queue then
  write_queue()
end
write_labels()
return {0, table.concat(codes), next_due()}
