-- Settles outcomes, then claims: the hot path.
-- KEYS: the partition's. ARGV 1-4: the fence's; 5: lease ms; 6: incarnation; 7: high-water mark; 8: msgpack of the lists
--   settles: positions, tokens, keys, bits, next tokens (empty list: none of them has one), and what is more than a
--   plain success as index, verdict, number, blob; claims: positions, claim tails, indexes of held ones;
--   9 on: envelopes (blobs).
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
-- @include settle
-- @include apply
local deadline = format('%.0f', now + ARGV[5])
bits_begin(ARGV[6])
if bits_current and tonumber(ARGV[7]) > tonumber(owner[5]) then
  call('HSET', OWNER, 'highwater', ARGV[7])
end
local lists = cmsgpack.unpack(ARGV[8])
local settle_answers, claim_answers = {}, {}

local positions, tokens, keys, offsets, next_tokens, more = unpack(lists, 1, 6)
if #positions > 0 then
  for i, claim in ipairs(hmget(CLAIMS, positions)) do
    claims[positions[i]] = claim
  end
  local verdicts = {}
  for i = 1, #more, 4 do
    verdicts[more[i]] = i
  end
  for i = 1, #positions do
    local at = verdicts[i]
    local code = settle(positions[i], tokens[i], keys[i], offsets[i] or -1, at and more[at + 1] or 'K',
      at and more[at + 2], at and ARGV[9 + more[at + 3]], next_tokens[i], deadline)
    if code ~= 0 then
      local n = #settle_answers
      settle_answers[n + 1] = i
      if type(code) == 'number' then
        settle_answers[n + 2] = code
      else
        settle_answers[n + 2] = 4
        settle_answers[n + 3], settle_answers[n + 4], settle_answers[n + 5] = code[1], code[2], code[3]
      end
    end
  end
  write_settled()
  write_bits()
  count_settled()
end

local wanted, tails, held = lists[7], lists[8], lists[9]
if #wanted > 0 then
  local standing = hmget(CLAIMS, wanted)
  local is_held = {}
  for i = 1, #held do
    is_held[held[i]] = true
  end
  local in_tasks, in_dead, lapses, entries = {}, {}, {}, {}
  if any_tasks then
    in_tasks = hmget(TASKS, wanted)
  end
  if call('EXISTS', DEAD_TASKS) == 1 then
    in_dead = hmget(DEAD_TASKS, wanted)
  end
  if call('EXISTS', ATTEMPTS) == 1 then
    lapses = hmget(ATTEMPTS, wanted)
  end
  any_blocked = call('EXISTS', BLOCKED) == 1
  local head = claim_head()
  local made, leases, due = {}, {}, {}
  local taken, n = {}, 0
  for i = 1, #wanted do
    local position = wanted[i]
    local code, value
    if standing[i] or taken[position] then
      code = 2
    elseif is_held[i] then
      code = not in_tasks[i] and 2
    elseif in_tasks[i] or in_dead[i] then
      code = 2
    end
    if not code and any_blocked then
      local tail = tails[i]
      local flag = 10 + byte(tail, 9)
      local key = byte(tail, flag) == 1 and sub(tail, flag + 1)
      local entry = key and call('HGET', BLOCKED, key)
      if entry and head_of(entry) ~= position then
        code, value = 3, head_of(entry)
      elseif entry and byte(entry) ~= 72 then
        block(key, 'H', position)
      end
    end
    if not code then
      taken[position] = true
      made[n + 1], made[n + 2] = position, head .. tails[i]
      leases[n + 1], leases[n + 2] = deadline, position
      n = n + 2
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
  each_slice('ZREM', SCHEDULED, due)
  each_slice('ZREM', RETRY, due)
  each_slice('HSET', CLAIMS, made)
  each_slice('ZADD', INFLIGHT, leases)
end
return {0, settle_answers, claim_answers}
