-- Takes ownership of a partition, or takes it again with the claims that its executor still runs.
-- KEYS: the partition's. ARGV 1: writer; 2: number; 3: executor; 4: lease ms; 5: generation; 6: source id; 7: committed;
--   8: msgpack of the presented claims' positions, tokens, keys (false: none), bits, numbers of the requests that
--   carried their outcomes (0: none), tokens of the claims they were relayed from (0: none); in order of token; 9: the epoch that it continues, 0: none.
-- Answers {1}, {2, stored}, {4, owner, remaining ms}, or {0, epoch, run id, incarnation, high-water mark, mirror,
--   foreign (position, token, key, held, remaining ms), blocks of bits (number, bytes), blocked (key, entry),
--   next due ms, next lapse ms, quiet ms, presented tokens that hold, past (see include/past.lua)}.
-- @include keys
-- @include now
-- @include lists
-- @include claim
-- @include envelope
-- @include lanes
-- @include blocked
-- @include next
-- @include later
-- @include past
local executor, lease, generation = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local source, committed = ARGV[6], tonumber(ARGV[7])
local WRITER = 'writer:' .. ARGV[1]
local stored = tonumber(call('HGET', OWNER, WRITER) or '0')
if stored == tonumber(ARGV[2]) then
  return {1}
elseif stored > tonumber(ARGV[2]) then
  return {2, stored}
end
local owner = call('HMGET', OWNER, 'epoch', 'token', 'executor', 'incarnation', 'highwater', 'mirror', 'quiet',
  'lease', 'generation', 'run', 'source', 'lead', 'released', 'acquired', 'worked')
-- @include bits
local before = owner[3]
local live = before and tonumber(owner[8]) > now
local another = before ~= executor and owner[13] ~= '1'
if live and (generation == -1 and another or tonumber(owner[9]) > generation) then
  return {4, before, tonumber(owner[8]) - now}
end

-- A removal first, so that ownership can be taken when memory is full.
call('DEL', OPENED)
for _, field in ipairs(call('HKEYS', OWNER)) do
  if sub(field, 1, 7) == 'writer:' then
    call('HDEL', OWNER, field)
  end
end
local run = run_id()
local quiet = tonumber(owner[7] or '0')
local restarted = before and owner[10] ~= run
if restarted and owner[1] ~= ARGV[9] then
  quiet = now + lease
end
local incarnation, high_water, mirror = owner[4] or '0', owner[5] or '0', tonumber(owner[6] or '-1')
local recreated = source ~= '' and owner[11] and owner[11] ~= '' and source ~= owner[11]
if recreated or committed >= 0 and mirror >= 0 and committed < mirror then
  incarnation, high_water, mirror = format('%.0f', incarnation + 1), '0', committed
  call('DEL', SETTLED)
else
  mirror = math.max(mirror, committed)
end
-- Of acquires in a row only the first follows requests that may have been applied.
local worked = stored == tonumber(owner[14] or '0') and tonumber(owner[15] or '0') or stored
local presented, tokens, keys, offsets, outcomes, afters = unpack(cmsgpack.unpack(ARGV[8]))
local highest = tonumber(owner[2] or '0')
for i = 1, #tokens do
  highest = math.max(highest, number_of(tokens[i]))
end
-- The line of tokens keeps its lead on the clock, so that an epoch which was forgotten is not given again.
local epoch = math.max(highest + 1, micros + tonumber(owner[12] or '0')) + (restarted and lease * 1000 or 0)
owner[4], owner[6] = incarnation, format('%.0f', mirror)
call('HSET', OWNER, WRITER, ARGV[2], 'epoch', format('%.0f', epoch), 'token', format('%.0f', epoch), 'executor', executor,
  'incarnation', incarnation, 'highwater', high_water, 'mirror', owner[6], 'quiet', format('%.0f', quiet),
  'lease', format('%.0f', now + lease), 'generation', ARGV[5], 'run', run, 'lead', format('%.0f', epoch - micros),
  'released', '0', 'acquired', ARGV[2], 'worked', worked,
  'source', source ~= '' and source or owner[11] or '')

-- Small hashes and sorted sets are lists that Redis walks through. One wide member makes these two real ones, for good.
call('HSET', CLAIMS, '', WIDE)
call('ZADD', INFLIGHT, 'inf', WIDE)

-- Presented claims are facts, unless settled or overtaken.
bits_begin(incarnation)
local deadline = format('%.0f', now + lease)
local holding, holds, refused, standing, last = {}, {}, {}, {}, {}
local all = call('HGETALL', CLAIMS)
local at, newest = {}, {}
for i = 1, #all, 2 do
  local claim = all[i] ~= '' and all[i + 1] or nil
  local key = claim and key_of(claim)
  at[all[i]] = claim
  if key and executor_of(claim) ~= executor then
    newest[key] = math.max(newest[key] or 0, number_of(token_of(claim)))
  end
end
for i = 1, #presented do
  local position, token, key = presented[i], number_of(tokens[i]), keys[i]
  local claim, envelope = at[position], call('HGET', TASKS, position)
  local run_before = envelope and envelope_token(envelope)
  local after = number_of(afters[i])
  if outcomes[i] > 0 and outcomes[i] <= worked or not envelope and not claim
    and (has_bit(offsets[i]) or call('HEXISTS', DEAD_TASKS, position) == 1 or still_owed(position)) then
    -- It has ended.
  elseif refused[after] or claim and number_of(token_of(claim)) > token or key and (newest[key] or 0) > token
    or run_before and number_of(run_before) >= token then
    refused[token] = true
  elseif not envelope and not claim and holds[after] then
    -- The relay that brings it will be sent again.
    holding[#holding + 1] = token
    holds[token] = true
  else
    at[position] = claim_head() .. claim_tail(tokens[i], executor, key)
    call('HSET', CLAIMS, position, at[position])
    call('ZADD', INFLIGHT, deadline, position)
    local waited = call('ZREM', SCHEDULED, position) + call('ZREM', RETRY, position) > 0
    holding[#holding + 1] = token
    holds[token] = true
    standing[position] = true
    if key then
      local member = envelope and not claim and not waited and in_lane(key, position)
      if member then
        call('ZREM', LANES, member)
        waited = true
      end
      if not last[key] or last[key][1] < token then
        last[key] = {token, position}
      end
    end
    if envelope and not claim and not waited then
      void_hint(position)
    end
  end
end
for key, claim in pairs(last) do
  if call('HEXISTS', BLOCKED, key) == 1 then
    block(key, 'H', claim[2])
  end
end

-- Other claims of this executor never started: their answer was missed. Those of others whose key was claimed again
-- since have ended. The rest of them head their keys.
local foreign = {}
for position, claim in pairs(at) do
  local key = key_of(claim)
  local ended = key and last[key] and last[key][1] > number_of(token_of(claim))
  if standing[position] then
    -- Presented.
  elseif executor_of(claim) == executor or ended then
    call('HDEL', CLAIMS, position)
    call('ZREM', INFLIGHT, position)
    local entry = key and call('HGET', BLOCKED, key)
    if call('HEXISTS', TASKS, position) == 1 then
      call('ZADD', RETRY, format('%.0f', now), position)
    elseif entry and head_of(entry) == position then
      block(key, 'R', position)
    end
  else
    foreign[#foreign + 1] = position
  end
end
table.sort(foreign, function(one, two) return number_of(token_of(at[one])) > number_of(token_of(at[two])) end)
local listed = {}
for _, position in ipairs(foreign) do
  local claim = at[position]
  local key = key_of(claim)
  if key and call('HEXISTS', BLOCKED, key) == 0 then
    block(key, 'F', position)
  end
  local n = #listed
  listed[n + 1], listed[n + 2], listed[n + 3] = position, number_of(token_of(claim)), key
  listed[n + 4] = call('HEXISTS', TASKS, position)
  listed[n + 5] = tonumber(call('ZSCORE', INFLIGHT, position) or now) - now
end
return {0, epoch, run, tonumber(incarnation), tonumber(high_water), mirror, listed, call('HGETALL', SETTLED),
  call('HGETALL', BLOCKED), next_due(), next_lapse(quiet), math.max(0, quiet - now), holding, past()}
