-- Takes custody of tasks, in order: schedules, parks, adopts, buries or cancels each, or lets it join the line of its tenant.
--
-- KEYS      the partition's, see include/partition_keys; behind them the list `events`, if the queue has events
-- ARGV 1-4  request header, see include/fence
-- ARGV 5    incarnation; NO_INCARNATION: a message queue, whose bits below are pages
-- ARGV 6    high-water mark, an offset
-- ARGV 7    most parked tasks of one key
-- ARGV 8    most parked tasks of the partition
-- ARGV 9    MessagePack of lists: positions; keys (false: none); bits (-1: none); MOVE_...; due times in ms, or lines, or with
--           how many parked tasks of the partition none is parked behind a head that goes on soon; numbers of the
--           envelopes from 0 (-1: none); and three texts, not lists: what is kept of the tasks that are cancelled, see
--           include/success_pages ('': nothing), its hashes, and the policy of the queue's events, see include/event_pages,
--           if it has some
-- ARGV 10-  envelopes
-- Returns   {REPLY_OK, a text of one letter HANDOVER_... for each (HANDOVER_NO_ROOM for all or none), ms until the next
--           task is due (-1: none)}
-- @include partition_keys
-- @include fence
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include covered_claims
-- @include lanes
-- @include blocked_keys
-- @include dead_groups
-- @include settled_bits
-- @include envelope
-- @include untold_ends
-- @include envelope_errors
-- @include error_groups
-- @include note_keys
-- @include success_keys
-- @include success_pages
-- @include event_drops
-- @include event_pages
-- @include event_records
-- @include id_index
-- @include redelivery_marks
-- @include far_schedule
-- @include next_times
local lists = cmsgpack.unpack(ARGV[9])
local positions, keys, bits, moves, numbers, envelope_numbers = unpack(lists, 1, 6)
events.policy = lists[9]
begin_bits(ARGV[5])
begin_redelivery_marks(ARGV[5])

-- No removal comes first here: what brings more than it takes must fail when memory is full. Only its number is
-- recorded.
do
  local high_water = bits_current and tonumber(ARGV[6]) > tonumber(owner[OWNER_HIGH_WATER]) and ARGV[6]
    or owner[OWNER_HIGH_WATER]
  local tried = redis.pcall('HSET', OWNER, WRITER, ARGV[HEADER_NUMBER], 'highwater', high_water)
  if type(tried) == 'table' then
    if not string.find(tried.err, 'OOM', 1, true) then
      return tried
    end
    call('HDEL', OWNER, '')
    call('HSET', OWNER, WRITER, ARGV[HEADER_NUMBER])
    return {REPLY_OK, string.rep(HANDOVER_NO_ROOM, #positions), next_due()}
  end
end

local max_per_key, max_parked = tonumber(ARGV[7]), tonumber(ARGV[8])
local some_dead = call('EXISTS', DEAD_TASKS) == 1
local some_lapsed = call('EXISTS', ATTEMPTS) == 1
local parked_before = call('ZCARD', LANES)
local entries, lane_sizes, full_lanes = {}, {}, {} -- by key
local taken = {} -- positions that this request took and has not written yet
local tasks, scheduled, lanes, dead_tasks, dead = {}, {}, {}, {}, {} -- pairs to write
local sequence, parked = lane_numbers(#positions), 0
local cancelled = {away = {}} -- positions; positions that this request was to cancel and did not
local stored_before = {} -- position with an envelope -> 1 if `tasks` has it already, else 0

local function append_pair(list, one, two)
  local n = #list
  list[n + 1] = one
  list[n + 2] = two
end

-- Writes what is gathered: at the end, and before a position that comes a second time, so that the second sees the
-- first.
local function write_taken()
  each_slice('HSET', TASKS, tasks)
  each_slice('ZADD', SCHEDULED, scheduled)
  each_slice('ZADD', LANES, lanes)
  write_far_tasks()
  each_slice('HSET', DEAD_TASKS, dead_tasks)
  each_slice('ZADD', DEAD, dead)
  if #dead > 0 then
    call('HINCRBY', STATS, 'dead', #dead / 2)
    some_dead = true
  end
  for position in pairs(taken) do
    stored_before[position] = nil
  end
  taken, tasks, scheduled, lanes, dead_tasks, dead = {}, {}, {}, {}, {}, {}
end

-- Returns what blocks a key, with the changes of this request.
local function entry_of(key)
  local entry = entries[key]
  if entry == nil then
    entry = call('HGET', BLOCKED, key)
    entries[key] = entry
  end
  return entry
end

local function park(position, key, most_in_turn, envelope)
  local entry = key and entry_of(key)
  if not entry or head_of(entry) == position then
    return HANDOVER_OPEN
  end
  lane_sizes[key] = lane_sizes[key] or lane_size(key)
  local count = parked_before + parked
  local full = full_lanes[key] or lane_sizes[key] >= max_per_key or envelope and count >= max_parked
  if not full and envelope and count >= most_in_turn and reason_of(entry) == BLOCKED_BY_HEAD then
    -- Full, too, if the head goes on soon: it is due, in a line, or claimed by the owner. The owner does not know for how
    -- long a head runs elsewhere.
    local head = head_of(entry)
    local at = tonumber(call('ZSCORE', SCHEDULED, head) or call('ZSCORE', RETRY, head) or now + 1)
    local claim = call('HGET', CLAIMS, head)
    full = at <= now or at >= FIRST_PLACE or claim and claimant_of(claim) == owner[OWNER_EXECUTOR]
  end
  if full then
    full_lanes[key] = true
    return HANDOVER_FULL
  end
  if envelope then
    append_pair(tasks, position, envelope)
  else
    call('ZREM', SCHEDULED, position)
    call('ZREM', RETRY, position)
  end
  lane_sizes[key] = lane_sizes[key] + 1
  parked = parked + 1
  -- A task that had begun goes before all that waits.
  local lapsed = envelope and some_lapsed and call('HEXISTS', ATTEMPTS, position) == 1
  append_pair(lanes, '0', lane_member(key, lapsed and front_number() or sequence + parked, position))
  return HANDOVER_OK
end

local function adopt(position, key, envelope)
  local claim = call('HGET', CLAIMS, position)
  if not claim then
    return HANDOVER_GONE
  end
  if key then
    local entry = entry_of(key)
    local head_claim = entry and head_of(entry) ~= position and call('HGET', CLAIMS, head_of(entry))
    local overtaken = head_claim and number_of(token_of(head_claim)) > number_of(token_of(claim))
    if not overtaken and (not entry or head_of(entry) ~= position) then
      local own = claimant_of(claim) == owner[OWNER_EXECUTOR]
      block(key, own and BLOCKED_BY_HEAD or BLOCKED_BY_OTHER_OWNER, position)
      entries[key] = call('HGET', BLOCKED, key)
    end
  end
  if envelope then
    append_pair(tasks, position, envelope)
  end
  return HANDOVER_OK
end

-- Lets a task wait until it is due, or, if `line` is given, in that line: then it heads its key.
local function schedule(position, key, due, line, envelope)
  if line and (call('HEXISTS', CLAIMS, position) == 1 or key and entry_of(key)) then
    return HANDOVER_GONE
  elseif line then
    if key then
      block(key, BLOCKED_BY_HEAD, position)
      entries[key] = call('HGET', BLOCKED, key)
    end
    if call('ZCOUNT', SCHEDULED, FIRST_PLACE, '+inf') == 0 then
      call('HDEL', OWNER, 'line')
    end
    local place = FIRST_PLACE + line * PLACES_IN_LINE + call('HINCRBY', OWNER, 'line', 1)
    call('ZADD', SCHEDULED, format('%.0f', place), position)
  elseif due - now >= FAR_MILLIS then
    add_far_task(position, due)
  else
    append_pair(scheduled, format('%.0f', due), position)
  end
  append_pair(tasks, position, envelope)
  return HANDOVER_OK
end

local function bury(position, i, envelope)
  note_untold_end(position, envelope, FAN_OUT_FAILED)
  events.note(position, envelope, EVENT_DEAD)
  groups.join(position, envelope)
  append_pair(dead_tasks, position, envelope)
  append_pair(dead, format('%.0f', micros + i), position) -- 1 µs apart, to keep their order
  return HANDOVER_OK
end

local function cancel(position, envelope)
  if call('HEXISTS', CLAIMS, position) == 1 then
    return HANDOVER_GONE
  end
  note_untold_end(position, envelope, FAN_OUT_CANCELLED)
  events.note(position, envelope, EVENT_CANCELLED)
  cancelled[#cancelled + 1] = position
  return HANDOVER_OK
end

local function is_settled(position, bit)
  return has_bit(bit) or (stored_before[position] or call('HEXISTS', TASKS, position)) == 1
    or some_dead and call('HEXISTS', DEAD_TASKS, position) == 1 or is_queue and awaits_redelivery(position)
end

-- Records that a position is settled, or certain to be. A message queue's position is put on its page instead.
local function mark_settled(position, bit, code, settled, held)
  if is_queue then
    if settled or code == HANDOVER_OK then
      add_to_page(bit, position)
      if settled and bit ~= AWAITS_REDELIVERY then
        awaiting[position] = false -- The message has come.
      elseif not settled and not held and bit == AWAITS_REDELIVERY then
        awaiting[position] = true
      end
    end
  elseif (settled or code == HANDOVER_OK) and bit >= 0 then
    set_bit(bit)
  end
end

-- Whether a position that comes without its envelope is where its move takes it from.
local function is_held_for(move, position)
  if move == MOVE_PARK then
    return call('ZSCORE', SCHEDULED, position) or call('ZSCORE', RETRY, position)
  end
  return move == MOVE_ADOPT and call('HEXISTS', CLAIMS, position) == 1 and call('HEXISTS', TASKS, position) == 1
end

local function take(i)
  local position, key, bit, move = positions[i], keys[i], bits[i], moves[i]
  local envelope = envelope_numbers[i] >= 0 and ARGV[10 + envelope_numbers[i]] or nil
  if taken[position] then
    write_taken()
  end
  local held = not envelope and is_held_for(move, position)
  local settled = not held and is_settled(position, bit)
  local code
  if settled or not envelope and not held then
    code = HANDOVER_DONE -- Settled, or there is nothing to move.
  elseif move == MOVE_PARK then
    code = park(position, key, numbers[i], envelope)
  elseif move == MOVE_ADOPT then
    code = adopt(position, key, envelope)
  elseif move == MOVE_SCHEDULE then
    code = schedule(position, key, numbers[i], nil, envelope)
  elseif move == MOVE_JOIN_LINE then
    code = schedule(position, key, nil, numbers[i], envelope)
  elseif move == MOVE_BURY then
    code = bury(position, i, envelope)
  else
    code = cancel(position, envelope)
  end
  if code == HANDOVER_OK then
    taken[position] = true
    if envelope and move ~= MOVE_CANCEL then
      index_id(position, envelope)
    end
  end
  if move == MOVE_CANCEL and code ~= HANDOVER_OK then
    cancelled.away[position] = true
  end
  mark_settled(position, bit, code, settled, held)
  return code
end

-- Asks at once for all that come with an envelope: hardly any of them is stored already.
do
  local with_envelope = {}
  for i = 1, #positions do
    if envelope_numbers[i] >= 0 then
      with_envelope[#with_envelope + 1] = positions[i]
    end
  end
  for i, envelope in ipairs(hmget(TASKS, with_envelope)) do
    stored_before[with_envelope[i]] = envelope and 1 or 0
  end
end

local codes = {}
for i = 1, #positions do
  codes[i] = take(i)
end
write_taken()
if #cancelled > 0 then
  call('HINCRBY', STATS, 'cancelled', #cancelled)
  for _, hash in ipairs({ATTEMPTS, CHECKPOINTS, PROGRESS}) do
    each_slice('HDEL', hash, cancelled)
  end
  append_successes(lists[7], lists[8], cancelled.away)
end
events.append(nil, {})
groups.write()
write_bits()
if is_queue then
  write_redelivery_marks()
end
write_index()
return {REPLY_OK, table.concat(codes), next_due()}
