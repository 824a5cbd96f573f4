-- Settles outcomes, then claims: the hot path.
-- KEYS: the partition's. ARGV 1-4: the fence's; 5: lease ms; 6: incarnation; 7: high-water mark; 8: msgpack of lists:
--   of the settles: positions, tokens, keys (as msgpack in itself), bits, next tokens (empty: none has one), and of each that is more
--   than a plain success its index, verdict, number, blob; of the claims: positions, claims, indexes of held ones; then
--   1 if a position comes twice, of each settle that passes its claim on its index and the position and claim that
--   follow, and of each claim that asks for a bit its index and that bit; 9 on: envelopes (blobs).
-- Answers {0, settles, claims}, the exceptions only, each as index, code and what belongs to the code.
--   settles: 1 opened; 2 done; 3 refused; 4 next, position, lapses, envelope. claims: 1 lapses; 2 done; 3 blocked, head.
-- @include keys
-- @include fence
-- @include now
-- @include lists
-- @include bits
-- @include settling
-- @include queue
-- @include apply

-- All that plain successes of fresh tasks, and relays to such, do not need; made when something needs it, for that takes a while.
local general
local function need()
  -- @include claim
  -- @include envelope
  -- @include lanes
  -- @include blocked
  -- @include index
  -- @include settle
  -- @include later
  general = {settle = settle, relay = relay, write_settled = write_settled, key_of = key_of,
    keyed_entries = keyed_entries, head_of = head_of, block = block, void_hint = void_hint}
end

if any_blocked then
  need()
end
local deadline = format('%.0f', now + ARGV[5])
bits_begin(ARGV[6])
queue_begin(ARGV[6])
mark = remember or mark
if bits_current and tonumber(ARGV[7]) > tonumber(owner[5]) then
  apply(ARGV[4], 'highwater', ARGV[7])
else
  apply(ARGV[4])
end
local lists = cmsgpack.unpack(ARGV[8])
local twice, find = lists[10] == 1, string.find
local settle_answers, claim_answers = {}, {}

local positions, tokens, packed_keys, offsets, next_tokens, more = unpack(lists, 1, 6)
if #positions > 0 then
  local standing = hmget(CLAIMS, positions)
  local keys = packed_keys == '' and {} or nil
  if not keys and (any_blocked or twice or more[1]) then
    keys = cmsgpack.unpack(packed_keys)
  end
  local entries = any_blocked and general.keyed_entries(keys) or {}
  local verdicts = {}
  for i = 1, #more, 4 do
    verdicts[more[i]] = i
  end
  local relays, thens = lists[11], {}
  for i = 1, #relays, 3 do
    thens[relays[i]] = i
  end
  local followers = {}
  if relays[1] and not any then
    local following = {}
    for i = 2, #relays, 3 do
      following[#following + 1] = relays[i]
    end
    for i, claim in ipairs(hmget(CLAIMS, following)) do
      followers[following[i]] = claim
    end
  end
  local plain, ended, n, m = {}, {}, 0, 0
  for i = 1, #positions do
    local position, at, entry, relay = positions[i], verdicts[i], entries[i], thens[i]
    local claim = claims[position]
    if claim == nil then
      claim = standing[i]
    end
    if claim and not at and not twice and not (relay and (any or retried > 0 or died > 0))
        and find(claim, tokens[i], 8, true) == 8
        and offsets[i] ~= OWED_MARK and not (entry and general.head_of(entry) == position) then
      -- A plain success of no blocked key's head: nothing to decide.
      m = m + 1
      ended[m] = position
      if fresh[position] then
        fresh[position] = nil
      else
        n = n + 1
        plain[n] = position
      end
      if relays[1] then
        claims[position] = false
      end
      if offsets[i] then
        mark(offsets[i], position)
      end
      if relay then
        -- No key is blocked and nothing is stored, so only a claim could be in the way.
        local follower = relays[relay + 1]
        local standing_there = claims[follower]
        if standing_there == nil then
          standing_there = followers[follower]
        end
        if not standing_there then
          claims[follower] = relays[relay + 2]
          fresh[follower] = claims[follower]
        end
      end
    else
      claims[position] = claim
      keys = keys or cmsgpack.unpack(packed_keys)
      if not general then
        need()
      end
      local code = general.settle(position, tokens[i], keys[i], offsets[i] or -1, at and more[at + 1] or 'K',
        at and more[at + 2], at and ARGV[9 + more[at + 3]], next_tokens[i], deadline)
      if relay and (code == 0 or code == 1) then
        general.relay(relays[relay + 1], relays[relay + 2], keys[i])
      end
      if code ~= 0 then
        local at_answer = #settle_answers
        settle_answers[at_answer + 1] = i
        if type(code) == 'number' then
          settle_answers[at_answer + 2] = code
        else
          settle_answers[at_answer + 2] = 4
          settle_answers[at_answer + 3], settle_answers[at_answer + 4], settle_answers[at_answer + 5] = code[1], code[2], code[3]
        end
      end
    end
  end
  if m > 0 then
    succeeded = succeeded + m
    each_slice('HDEL', CLAIMS, plain)
    each_slice('ZREM', INFLIGHT, plain)
    if any_tasks then
      each_slice('HDEL', TASKS, ended)
    end
    if any_attempts then
      each_slice('HDEL', ATTEMPTS, ended)
    end
  end
  if general then
    general.write_settled()
  end
  write_fresh(deadline)
  if is_queue then
    write_queue()
  end
  write_bits()
  count_settled()
end

local wanted, new_claims, held = lists[7], lists[8], lists[9]
local count = #wanted
if count > 0 then
  local standing = hmget(CLAIMS, wanted)
  local is_held, is_taken, is_settled = {}, {}, {}
  local asked = lists[12]
  for i = 1, #asked, 2 do
    is_settled[asked[i]] = has_bit(asked[i + 1])
  end
  for i = 1, #held do
    is_held[held[i]] = true
  end
  local in_tasks = any_tasks and hmget(TASKS, wanted) or {}
  local in_dead = (any or died > 0) and call('EXISTS', DEAD_TASKS) == 1 and hmget(DEAD_TASKS, wanted) or {}
  local lapses = any_attempts and hmget(ATTEMPTS, wanted) or {}
  local entries, wanted_keys = {}, {}
  if any_blocked then
    for i = 1, count do
      wanted_keys[i] = general.key_of(new_claims[i])
    end
    entries = general.keyed_entries(wanted_keys)
  end
  local made, leases, due, n = {}, {}, {}, 0
  for i = 1, count do
    local position, entry, code, value = wanted[i], entries[i], nil, nil
    if standing[i] or is_taken[position] then
      code = 2
    elseif is_held[i] then
      code = not in_tasks[i] and 2 or nil
    elseif in_tasks[i] or in_dead[i] or is_settled[i] or is_queue and is_owed(position) then
      code = 2
    end
    if entry and not code then
      if general.head_of(entry) ~= position then
        code, value = 3, general.head_of(entry)
      elseif byte(entry) ~= 72 then
        general.block(wanted_keys[i], 'H', position)
      end
    end
    if not code then
      made[n + 1], made[n + 2] = position, new_claims[i]
      leases[n + 1], leases[n + 2] = deadline, position
      n = n + 2
      if twice then
        is_taken[position] = true
      end
      if is_held[i] then
        due[#due + 1] = position
      end
      if lapses[i] then
        code, value = 1, tonumber(lapses[i])
      end
    end
    if code then
      local m = #claim_answers
      claim_answers[m + 1], claim_answers[m + 2] = i, code
      claim_answers[m + 3] = value
    end
  end
  for _, position in ipairs(due) do
    if call('ZREM', SCHEDULED, position) + call('ZREM', RETRY, position) == 0 then
      if not general then
        need()
      end
      general.void_hint(position)
    end
  end
  each_slice('HSET', CLAIMS, made)
  each_slice('ZADD', INFLIGHT, leases)
end
return {0, settle_answers, claim_answers}
