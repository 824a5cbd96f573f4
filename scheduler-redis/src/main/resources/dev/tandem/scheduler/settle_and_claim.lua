-- Settles outcomes, then claims tasks: the hot path. Most outcomes are plain successes of fresh tasks; they take the
-- short way, and what only others need is not even set up for them.
--
-- KEYS      the partition's, see include/partition_keys; behind them the list `events`, if the queue has events
-- ARGV 1-4  request header, see include/fence
-- ARGV 5    lease, ms
-- ARGV 6    incarnation; NO_INCARNATION: a message queue, whose bits below are pages
-- ARGV 7    high-water mark, an offset
-- ARGV 8    MessagePack of a list of lists, below
-- ARGV 9-   envelopes
-- Returns   {REPLY_OK, settles, claims}, exceptions only, each as index (from 1), code, and what belongs to the code:
--           settles: SETTLE_OPENED; SETTLE_DONE; SETTLE_REFUSED; SETTLE_NEXT, position, lapses, envelope
--           claims: CLAIM_LAPSED_BEFORE, lapses; CLAIM_DONE; CLAIM_KEY_BLOCKED, head
--
-- The lists in ARGV 8:
--   1  positions to settle
--   2  their tokens, 8 bytes each
--   3  their keys (false: none), as MessagePack in itself, for it is seldom looked at; '': none has one
--   4  their bits (-1: none); empty: none has one
--   5  the tokens to claim the lane's next with (false: none); empty: none has one
--   6  verdicts other than plain success: index of the settle, VERDICT_..., delay in ms, number of the envelope from 0
--   7  positions to claim
--   8  their claims, see include/claim_record: covered ones, as those in 11
--   9  indexes of the claims whose envelope is in the store
--   10 1 if a position comes twice
--   11 relays: index of the settle, next position, its claim
--   12 bits to look at: index of the claim, bit
--   13 page of what is kept of the successes, see include/success_pages; '': nothing
--   14 its hashes
--   15 page of events, see include/event_pages; '': none. Only if the queue has events, as the next one
--   16 the policy of its events, see include/event_pages
-- @include partition_keys
-- @include fence
-- @include clock
-- @include batched_commands
-- @include settled_bits
-- @include note_keys
-- @include settlement_state
-- @include redelivery_marks
-- @include success_keys
-- @include success_pages
-- @include event_drops
-- @include event_pages
-- @include apply_request

-- What plain successes of fresh tasks, and relays to such, do not need. It is set up on demand, because that takes
-- time.
local slow_path
local function load_slow_path()
  -- @include claim_record
  -- @include envelope
  -- @include untold_ends
  -- @include envelope_errors
  -- @include event_records
  -- @include lanes
  -- @include blocked_keys
  -- @include dead_groups
  -- @include error_groups
  -- @include id_index
  -- @include lane_heads
-- @include settle_outcome
  -- @include far_schedule

  -- Returns the keys of claims and what blocks them, by index.
  local function keys_and_entries(new_claims)
    local keys = {}
    for i = 1, #new_claims do
      keys[i] = key_of(new_claims[i])
    end
    return keys, keyed_entries(keys)
  end

  -- Claimed tasks that were in the store leave the place where they waited.
  local function remove_from_schedules(positions)
    for from = 1, #positions, MAX_COMMAND_ARGUMENTS do
      local slice = {unpack(positions, from, math.min(#positions, from + MAX_COMMAND_ARGUMENTS - 1))}
      for i, due in ipairs(call('ZMSCORE', SCHEDULED, unpack(slice))) do
        if not due and call('ZREM', RETRY, slice[i]) == 0 then
          void_entry(slice[i])
        end
      end
      call('ZREM', SCHEDULED, unpack(slice))
    end
  end

  slow_path = {settle = settle, relay = relay, write_outcomes = write_outcomes, reason_of = reason_of, head_of = head_of,
    block = block, keyed_entries = keyed_entries, keys_and_entries = keys_and_entries,
    remove_from_schedules = remove_from_schedules}
end

-- Maps the first of every `step` items to its place in the list.
local function places(list, step)
  local found = {}
  for i = 1, #list, step do
    found[list[i]] = i
  end
  return found
end

-- Where nothing is stored, only a standing claim can be in the way of a relay: returns those, by position.
local function claims_of_next(relays)
  local found = {}
  if relays[1] and not any_stored then
    local positions = {}
    for i = 2, #relays, 3 do
      positions[#positions + 1] = relays[i]
    end
    for i, claim in ipairs(hmget(CLAIMS, positions)) do
      found[positions[i]] = claim
    end
  end
  return found
end

-- Passes a key's claim on where nothing is stored and no key is blocked.
local function relay_plainly(position, next_claim, standing)
  local claim = claims[position]
  if claim == nil then
    claim = standing[position]
  end
  if not claim then
    claims[position] = next_claim
    relayed[position] = next_claim
  end
end

-- Adds the answer to a settle, unless it is the usual one.
local function add_settle_answer(answers, index, result)
  if result ~= SETTLE_OK then
    local n = #answers
    answers[n + 1] = index
    if type(result) == 'number' then
      answers[n + 2] = result
    else
      answers[n + 2] = SETTLE_NEXT
      answers[n + 3], answers[n + 4], answers[n + 5] = result[1], result[2], result[3]
    end
  end
end

-- Writes plain successes. ended: their positions; claimed: those of them whose claim is written in Redis. Claims of
-- this owner are covered. Only while claims of others stand there are more members in `inflight` than the wide one.
local function write_plain_successes(ended, claimed)
  if #ended > 0 then
    succeeded = succeeded + #ended
    each_slice('HDEL', CLAIMS, claimed)
    if call('ZCARD', INFLIGHT) > 1 then
      each_slice('ZREM', INFLIGHT, claimed)
    end
    if any_tasks then
      each_slice('HDEL', TASKS, ended)
    end
    if any_attempts then
      each_slice('HDEL', ATTEMPTS, ended)
    end
    forget_notes(ended)
  end
end

local function write_settled()
  if slow_path then
    slow_path.write_outcomes()
  end
  write_relayed()
  if is_queue then
    write_redelivery_marks()
  end
  write_bits()
  count_outcomes()
end

local function settle_all(batch)
  local positions, tokens, packed_keys, bits, next_tokens, verdicts = unpack(batch, 1, 6)
  local repeats, relays, answers = batch[10] == 1, batch[11], {}
  if #positions == 0 then
    return answers
  end
  local claims, relayed, mark_settled, find = claims, relayed, mark_settled, string.find -- Locals are faster.
  local standing = hmget(CLAIMS, positions)
  local needs_keys = any_blocked or repeats or verdicts[1]
  local keys = packed_keys == '' and {} or needs_keys and cmsgpack.unpack(packed_keys) or nil
  local entries = any_blocked and slow_path.keyed_entries(keys) or {}
  local verdict_at, relay_at = places(verdicts, 4), places(relays, 3)
  local next_claims = claims_of_next(relays)
  local ended, claimed, ended_count, claimed_count, left_out = {}, {}, 0, 0, {}
  for i = 1, #positions do
    local position, verdict, entry, relay = positions[i], verdict_at[i], entries[i], relay_at[i]
    local claim = claims[position]
    if claim == nil then
      claim = standing[i]
    end
    if claim and not verdict and not repeats and not (relay and (any_stored or retried > 0 or died > 0))
        and find(claim, tokens[i], 8, true) == 8
        and bits[i] ~= AWAITS_REDELIVERY and not (entry and slow_path.head_of(entry) == position) then
      -- A plain success, not of a blocked key's head: nothing to decide.
      ended_count = ended_count + 1
      ended[ended_count] = position
      if relayed[position] then
        relayed[position] = nil
      else
        claimed_count = claimed_count + 1
        claimed[claimed_count] = position
      end
      if relays[1] then
        claims[position] = false
      end
      if bits[i] then
        mark_settled(bits[i], position)
      end
      if relay then
        relay_plainly(relays[relay + 1], relays[relay + 2], next_claims)
      end
    else
      claims[position] = claim
      keys = keys or cmsgpack.unpack(packed_keys)
      if not slow_path then
        load_slow_path()
      end
      local result = slow_path.settle(position, tokens[i], keys[i], bits[i] or -1,
        verdict and verdicts[verdict + 1] or VERDICT_SUCCESS, verdict and verdicts[verdict + 2],
        verdict and ARGV[9 + verdicts[verdict + 3]], next_tokens[i])
      if relay and (result == SETTLE_OK or result == SETTLE_OPENED) then
        slow_path.relay(relays[relay + 1], relays[relay + 2], keys[i])
      end
      if result == SETTLE_DONE or result == SETTLE_REFUSED then
        -- By position, since no request has an outcome that is recorded and one that is not of the same position: an owner
        -- claims a position again only when it knows what became of its outcome before.
        left_out[position] = true
      end
      add_settle_answer(answers, i, result)
    end
  end
  write_plain_successes(ended, claimed)
  write_settled()
  append_successes(batch[13], batch[14], left_out)
  events.append(batch[15], left_out)
  return answers
end

-- Reads which claims are of tasks in the store, and which ask for a bit that is set. Both by index.
local function claim_conditions(batch)
  local held, asked = batch[9], batch[12]
  local is_held, is_settled = {}, {}
  for i = 1, #held do
    is_held[held[i]] = true
  end
  for i = 1, #asked, 2 do
    is_settled[asked[i]] = has_bit(asked[i + 1])
  end
  return is_held, is_settled
end

local function claim_all(batch)
  local wanted, new_claims, repeats = batch[7], batch[8], batch[10] == 1
  local count, answers = #wanted, {}
  if count == 0 then
    return answers
  end
  local standing = hmget(CLAIMS, wanted)
  local is_held, is_settled = claim_conditions(batch)
  local in_tasks = any_tasks and hmget(TASKS, wanted) or {}
  local in_dead = (any_stored or died > 0) and call('EXISTS', DEAD_TASKS) == 1 and hmget(DEAD_TASKS, wanted) or {}
  local lapses = any_attempts and hmget(ATTEMPTS, wanted) or {}
  local keys, entries = {}, {}
  if any_blocked then
    keys, entries = slow_path.keys_and_entries(new_claims)
  end
  local made, is_taken, left_schedule, n = {}, {}, {}, 0
  for i = 1, count do
    local position, entry, code, value = wanted[i], entries[i], nil, nil
    if standing[i] or is_taken[position] then
      code = CLAIM_DONE
    elseif is_held[i] then
      code = not in_tasks[i] and CLAIM_DONE or nil
    elseif in_tasks[i] or in_dead[i] or is_settled[i] or is_queue and awaits_redelivery(position) then
      code = CLAIM_DONE
    end
    if entry and not code then
      if slow_path.head_of(entry) ~= position then
        code, value = CLAIM_KEY_BLOCKED, slow_path.head_of(entry)
      elseif slow_path.reason_of(entry) ~= BLOCKED_BY_HEAD then
        slow_path.block(keys[i], BLOCKED_BY_HEAD, position)
      end
    end
    if not code then
      made[n + 1], made[n + 2] = position, new_claims[i]
      n = n + 2
      if repeats then
        is_taken[position] = true
      end
      if is_held[i] then
        left_schedule[#left_schedule + 1] = position
      end
      if lapses[i] then
        code, value = CLAIM_LAPSED_BEFORE, tonumber(lapses[i])
      end
    end
    if code then
      local m = #answers
      answers[m + 1], answers[m + 2], answers[m + 3] = i, code, value
    end
  end
  if left_schedule[1] then
    if not slow_path then
      load_slow_path()
    end
    slow_path.remove_from_schedules(left_schedule)
  end
  each_slice('HSET', CLAIMS, made)
  return answers
end

if any_blocked then
  load_slow_path()
end
begin_bits(ARGV[6])
begin_redelivery_marks(ARGV[6])
mark_settled = add_to_page or mark_settled
local covered_until = format('%.0f', now + ARGV[5])
if bits_current and tonumber(ARGV[7]) > tonumber(owner[OWNER_HIGH_WATER]) then
  apply_request(ARGV[HEADER_HIGHEST_TOKEN], 'covered', covered_until, 'highwater', ARGV[7])
else
  apply_request(ARGV[HEADER_HIGHEST_TOKEN], 'covered', covered_until)
end
local batch = cmsgpack.unpack(ARGV[8])
events.policy = batch[16]
local settle_answers = settle_all(batch)
return {REPLY_OK, settle_answers, claim_all(batch)}
