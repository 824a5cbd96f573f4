-- Settles outcomes, then claims: the hot path.
-- KEYS: the partition's. ARGV 1-4: the fence's; 5: lease ms; 6: incarnation; 7: high-water mark; 8: msgpack of lists:
--   of the settles: positions, tokens, keys, bits, next tokens (an empty list: none has one), and of each that is more
--   than a plain success its index, verdict, number, blob; of the claims: positions, tails, indexes of held ones; then
--   1 if a position comes twice, and of each settle that passes its claim on its index and the position and tail that
--   follow; 9 on: envelopes (blobs).
-- Answers {0, settles, claims}, the exceptions only, each as index, code and what belongs to the code.
--   settles: 1 opened; 2 done; 3 refused; 4 next, position, lapses, envelope. claims: 1 lapses; 2 done; 3 blocked, head.
-- @include keys
-- @include fence
-- @include now
-- @include lists
-- @include claim
-- @include envelope
-- @include lanes
-- @include blocked
-- @include bits
-- @include index
-- @include queue
-- @include settle
-- @include later
-- @include apply
local deadline = format('%.0f', now + ARGV[5])
bits_begin(ARGV[6])
queue_begin(ARGV[6])
mark = is_queue and remember or mark
if bits_current and tonumber(ARGV[7]) > tonumber(owner[5]) then
  apply(ARGV[4], 'highwater', ARGV[7])
else
  apply(ARGV[4])
end
local lists = cmsgpack.unpack(ARGV[8])
local twice = lists[10] == 1
local settle_answers, claim_answers = {}, {}

local positions, tokens, keys, offsets, next_tokens, more = unpack(lists, 1, 6)
if #positions > 0 then
  local standing = hmget(CLAIMS, positions)
  local entries = any_blocked and keyed_entries(keys) or {}
  local verdicts = {}
  for i = 1, #more, 4 do
    verdicts[more[i]] = i
  end
  local relays, thens = lists[11], {}
  for i = 1, #relays, 3 do
    thens[relays[i]] = i
  end
  local plain, n = {}, 0
  for i = 1, #positions do
    local position, claim, at, entry = positions[i], standing[i], verdicts[i], entries[i]
    if claim and not at and not twice and not thens[i] and claims[position] == nil and sub(claim, 8, 15) == tokens[i]
        and offsets[i] ~= OWED_MARK and not (entry and head_of(entry) == position) then
      -- A plain success of no blocked key's head: nothing to decide.
      n = n + 1
      plain[n] = position
      if relays[1] then
        claims[position] = false
      end
      if offsets[i] then
        mark(offsets[i], position)
      end
    else
      if claims[position] == nil then
        claims[position] = claim
      end
      local code = settle(position, tokens[i], keys[i], offsets[i] or -1, at and more[at + 1] or 'K',
        at and more[at + 2], at and ARGV[9 + more[at + 3]], next_tokens[i], deadline)
      if thens[i] and (code == 0 or code == 1) then
        relay(relays[thens[i] + 1], relays[thens[i] + 2], keys[i])
      end
      if code ~= 0 then
        local m = #settle_answers
        settle_answers[m + 1] = i
        if type(code) == 'number' then
          settle_answers[m + 2] = code
        else
          settle_answers[m + 2] = 4
          settle_answers[m + 3], settle_answers[m + 4], settle_answers[m + 5] = code[1], code[2], code[3]
        end
      end
    end
  end
  if n > 0 then
    succeeded = succeeded + n
    each_slice('HDEL', CLAIMS, plain)
    each_slice('ZREM', INFLIGHT, plain)
    if any_tasks then
      each_slice('HDEL', TASKS, plain)
    end
    if any_attempts then
      each_slice('HDEL', ATTEMPTS, plain)
    end
  end
  write_settled()
  write_fresh(deadline)
  write_bits()
  write_queue()
  count_settled()
end

local wanted, tails, held = lists[7], lists[8], lists[9]
local count = #wanted
if count > 0 then
  local standing = hmget(CLAIMS, wanted)
  local is_held, is_taken = {}, {}
  for i = 1, #held do
    is_held[held[i]] = true
  end
  local in_tasks = any_tasks and hmget(TASKS, wanted) or {}
  local in_dead = (any or died > 0) and call('EXISTS', DEAD_TASKS) == 1 and hmget(DEAD_TASKS, wanted) or {}
  local lapses = any_attempts and hmget(ATTEMPTS, wanted) or {}
  local entries, wanted_keys = {}, {}
  if any_blocked then
    for i = 1, count do
      wanted_keys[i] = key_of_tail(tails[i])
    end
    entries = keyed_entries(wanted_keys)
  end
  local head = claim_head()
  local made, leases, due, n = {}, {}, {}, 0
  for i = 1, count do
    local position, entry, code, value = wanted[i], entries[i], nil, nil
    if standing[i] or is_taken[position] then
      code = 2
    elseif is_held[i] then
      code = not in_tasks[i] and 2 or nil
    elseif in_tasks[i] or in_dead[i] or is_queue and is_owed(position) then
      code = 2
    end
    if entry and not code then
      if head_of(entry) ~= position then
        code, value = 3, head_of(entry)
      elseif byte(entry) ~= 72 then
        block(wanted_keys[i], 'H', position)
      end
    end
    if not code then
      made[n + 1], made[n + 2] = position, head .. tails[i]
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
      void_hint(position)
    end
  end
  each_slice('HSET', CLAIMS, made)
  each_slice('ZADD', INFLIGHT, leases)
end
return {0, settle_answers, claim_answers}
