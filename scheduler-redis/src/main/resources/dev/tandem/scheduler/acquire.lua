-- Takes ownership of a partition, or takes it again with the claims that its executor still holds.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    writer
-- ARGV 2    number
-- ARGV 3    executor
-- ARGV 4    lease, ms
-- ARGV 5    generation; -1: none
-- ARGV 6    source id; '': none
-- ARGV 7    committed offset; -1: none
-- ARGV 8    MessagePack of the presented claims in order of token, as lists of: positions; tokens (8 bytes); keys
--           (false: none); bits (-1: none); numbers of the requests that carried their outcomes (0: none); tokens of
--           the claims that they were relayed from (8 bytes, 0: none)
-- ARGV 9    epoch that it continues; 0: none
-- ARGV 10   offset at which the log was cut; -1: none
-- ARGV 11   last incarnation that the cut applies to; -1: any
-- Returns   {REPLY_APPLIED}; {REPLY_GAP, stored number}; {REPLY_REFUSED, owner, remaining ms, source id of
--           another source that it reads; '': none}; or
--           {REPLY_OK, epoch, run id, incarnation, high-water mark, stored commit, other owners' claims (position,
--           token, key, 1 if the store has the envelope, remaining ms), blocked keys of presented claims and of other
--           owners' (key, entry), count of all blocked keys, ms until the next task is due (-1: none), ms until the next
--           lease runs out (-1: none), ms of quiet period, tokens of the presented claims that hold, the first page, see
--           include/acquired_pages}. read_acquired reads further pages
-- @include partition_keys
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include covered_claims
-- @include envelope
-- @include lanes
-- @include blocked_keys
-- @include dead_groups
-- @include next_times
-- @include far_schedule
-- @include awaited_redeliveries
-- @include pages
-- @include acquired_pages
-- @include epochs
local executor, lease, generation = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local source, committed, continued_epoch, cut = ARGV[6], tonumber(ARGV[7]), ARGV[9], tonumber(ARGV[10])
local cut_of = tonumber(ARGV[11])
local number = tonumber(ARGV[HEADER_NUMBER])
local WRITER = 'writer:' .. ARGV[HEADER_WRITER]
local owner = call('HMGET', OWNER, 'epoch', 'token', 'executor', 'incarnation', 'highwater', 'mirror', 'quiet', WRITER,
  'lease', 'generation', 'run', 'source', 'lead', 'released', 'acquired', 'worked')
-- @include settled_bits
local stored = tonumber(owner[OWNER_NUMBER] or '0')
if stored == number then
  return {REPLY_APPLIED}
elseif stored > number then
  return {REPLY_GAP, stored}
end
local former = owner[OWNER_EXECUTOR]
local leased = former and tonumber(owner[OWNER_LEASE]) > now
local owned_by_other = former ~= executor and owner[OWNER_RELEASED] ~= '1'
local other_source = source ~= '' and owner[OWNER_SOURCE] and owner[OWNER_SOURCE] ~= '' and source ~= owner[OWNER_SOURCE]
if leased and (owned_by_other and (generation == -1 or other_source)
    or tonumber(owner[OWNER_GENERATION]) > generation) then
  return {REPLY_REFUSED, former, tonumber(owner[OWNER_LEASE]) - now,
    owned_by_other and other_source and owner[OWNER_SOURCE] or ''}
end

-- Removals come first, so that ownership can be taken even when memory is full.
call('DEL', OPENED)
for _, field in ipairs(call('HKEYS', OWNER)) do
  if sub(field, 1, 7) == 'writer:' or field == 'weighed' then -- The new owner needs an estimate of its own.
    call('HDEL', OWNER, field)
  end
end

local presented, tokens, keys, bits, outcome_numbers, relayed_from = unpack(cmsgpack.unpack(ARGV[8]))
local run = run_id()
local quiet_until = tonumber(owner[OWNER_QUIET_UNTIL] or '0')
-- The number of this writer's last request that may have carried outcomes. Of acquires in a row, only the first
-- follows such a request.
local worked = stored == tonumber(owner[OWNER_ACQUIRED] or '0') and tonumber(owner[OWNER_WORKED] or '0') or stored

-- Deletes the bits from an offset on.
local function delete_bits_from(offset)
  local in_block = offset % BLOCK_OFFSETS
  local cut_block, kept = (offset - in_block) / BLOCK_OFFSETS, nil
  for _, number in ipairs(call('HKEYS', SETTLED)) do
    if tonumber(number) > cut_block then
      call('HDEL', SETTLED, number)
    elseif tonumber(number) == cut_block then
      kept = {byte(call('HGET', SETTLED, number), 1, math.ceil(in_block / 8))}
    end
  end
  if kept then
    local low = in_block % 8
    if low > 0 and kept[(in_block - low) / 8 + 1] then
      kept[#kept] = kept[#kept] - kept[#kept] % 2 ^ (8 - low)
    end
    while kept[#kept] == 0 do
      kept[#kept] = nil
    end
    call('HDEL', SETTLED, format('%.0f', cut_block))
    if #kept > 0 then
      call('HSET', SETTLED, format('%.0f', cut_block), string.char(unpack(kept)))
    end
  end
end

-- Returns the incarnation, the high-water mark and the stored commit from now on. Offsets that start anew begin a new
-- incarnation, without any bits, or with those below a cut.
local function current_incarnation()
  local stored_commit, stored_source = tonumber(owner[OWNER_STORED_COMMIT] or '-1'), owner[OWNER_SOURCE]
  local incarnation = owner[OWNER_INCARNATION] or '0'
  local next_incarnation = format('%.0f', math.max(tonumber(incarnation), cut_of) + 1)
  local recreated = source ~= '' and stored_source and stored_source ~= '' and source ~= stored_source

  -- Returns the high-water mark that the presented claims give to an incarnation; to any if the prefix is ''.
  local function raised(high_water, prefix)
    for i = 1, #bits do
      if sub(presented[i], 1, #prefix) == prefix then
        high_water = math.max(high_water, bits[i] + 1)
      end
    end
    return high_water
  end

  -- One above the highest offset that an owner named, if only by a presented claim.
  local known_up_to = raised(tonumber(owner[OWNER_HIGH_WATER] or '0'), '')
  -- Whether the incarnation knows records that are gone, or may have known them.
  local knows_lost = cut_of >= 0 and tonumber(incarnation) <= cut_of or cut_of < 0 and cut < known_up_to
  if recreated or committed >= 0 and stored_commit >= 0 and committed < stored_commit then
    call('UNLINK', SETTLED)
    return next_incarnation, format('%.0f', raised(0, next_incarnation .. ':')), committed
  elseif cut >= 0 and knows_lost then
    delete_bits_from(cut)
    return next_incarnation, format('%.0f', raised(cut, next_incarnation .. ':')),
      math.max(math.min(stored_commit, cut), committed)
  end
  return incarnation, format('%.0f', known_up_to), math.max(stored_commit, committed)
end

-- Returns an epoch above all earlier epochs and tokens.
local function next_epoch(restarted)
  local highest = tonumber(owner[OWNER_TOKEN] or '0')
  for i = 1, #tokens do
    highest = math.max(highest, number_of(tokens[i]))
  end
  local former_epoch = owner[OWNER_EPOCH] and tonumber(owner[OWNER_EPOCH])
  return epoch_after(highest, former_epoch, tonumber(owner[OWNER_LEAD] or '0')) + (restarted and lease * 1000 or 0)
end

local restarted = former and owner[OWNER_RUN_ID] ~= run
if restarted and owner[OWNER_EPOCH] ~= continued_epoch then
  quiet_until = now + lease
end
local incarnation, high_water, stored_commit = current_incarnation()
local epoch = next_epoch(restarted)
owner[OWNER_INCARNATION], owner[OWNER_STORED_COMMIT] = incarnation, format('%.0f', stored_commit)
call('HSET', OWNER, WRITER, ARGV[HEADER_NUMBER], 'epoch', format('%.0f', epoch), 'token', format('%.0f', epoch),
  'executor', executor, 'incarnation', incarnation, 'highwater', high_water, 'mirror', owner[OWNER_STORED_COMMIT],
  'quiet', format('%.0f', quiet_until), 'lease', format('%.0f', now + lease), 'generation', ARGV[5], 'run', run,
  'cover', executor, 'covered', format('%.0f', now + lease),
  'lead', format('%.0f', epoch - micros), 'released', '0', 'acquired', ARGV[HEADER_NUMBER], 'worked', worked,
  'source', source ~= '' and source or owner[OWNER_SOURCE] or '')

-- Redis keeps small hashes and sorted sets as lists that it walks through. One wide member makes these two real ones.
call('HSET', CLAIMS, '', WIDE_MEMBER)
call('ZADD', INFLIGHT, 'inf', WIDE_MEMBER)

begin_bits(incarnation)
local claims, newest_other = {}, {} -- position -> claim; key -> highest token of other executors' claims
local all = call('HGETALL', CLAIMS)
for i = 1, #all, 2 do
  local claim = all[i] ~= '' and all[i + 1] or nil
  local key = claim and key_of(claim)
  claims[all[i]] = claim
  if key and claimant_of(claim) ~= executor then
    newest_other[key] = math.max(newest_other[key] or 0, number_of(token_of(claim)))
  end
end

local holding, holds, refused = {}, {}, {} -- presented tokens that hold, as a list and as a set; refused ones
local written, last_written = {}, {} -- positions of written claims; key -> token and position of its latest

local function has_ended(i, claim, envelope)
  local position = presented[i]
  return outcome_numbers[i] > 0 and outcome_numbers[i] <= worked
    or not envelope and not claim
    and (has_bit(bits[i]) or call('HEXISTS', DEAD_TASKS, position) == 1 or still_awaits_redelivery(position))
end

local function is_overtaken(token, key, claim, envelope)
  local stored_token = envelope and envelope_token(envelope)
  return claim and number_of(token_of(claim)) > token or key and (newest_other[key] or 0) > token
    or stored_token and number_of(stored_token) >= token
end

-- Writes a presented claim, as a covered one, and takes its position out of wherever it waits.
local function write_presented(i, token, claim, envelope)
  local position, key = presented[i], keys[i]
  claims[position] = claim_head() .. claim_tail(tokens[i], COVERED_NAME, key)
  call('HSET', CLAIMS, position, claims[position])
  call('ZREM', INFLIGHT, position)
  local waited = call('ZREM', SCHEDULED, position) + call('ZREM', RETRY, position) > 0
  written[position] = true
  if key then
    if envelope and not claim and not waited then
      local member, search_on = in_lane(key, position)
      if member then
        call('ZREM', LANES, member)
      end
      waited = member or search_on -- Farther back in its lane it stays: the lane skips it when its turn comes.
    end
    if not last_written[key] or last_written[key][1] < token then
      last_written[key] = {token, position}
    end
  end
  if envelope and not claim and not waited then
    void_entry(position)
  end
end

-- A presented claim is a fact unless it has ended or was overtaken.
for i = 1, #presented do
  local token, after = number_of(tokens[i]), number_of(relayed_from[i])
  local claim, envelope = claims[presented[i]], call('HGET', TASKS, presented[i])
  if not has_ended(i, claim, envelope) then
    if refused[after] or is_overtaken(token, keys[i], claim, envelope) then
      refused[token] = true
    else
      -- If it was relayed from one that holds, it is not written: the relay will be sent again and bring it.
      if envelope or claim or not holds[after] then
        write_presented(i, token, claim, envelope)
      end
      holding[#holding + 1] = token
      holds[token] = true
    end
  end
end
for key, claim in pairs(last_written) do
  if call('HEXISTS', BLOCKED, key) == 1 then
    block(key, BLOCKED_BY_HEAD, claim[2])
  end
end

local function return_claim(position, key)
  call('HDEL', CLAIMS, position)
  call('ZREM', INFLIGHT, position)
  local entry = key and call('HGET', BLOCKED, key)
  if call('HEXISTS', TASKS, position) == 1 then
    call('ZADD', RETRY, format('%.0f', now), position)
  elseif entry and head_of(entry) == position then
    block(key, BLOCKED_BY_REDELIVERY, position)
  end
end

-- Other claims of this executor never started: their answer was missed. Claims of others have ended if their key was
-- claimed again since. The others' remaining claims head their keys.
local others = {}
for position, claim in pairs(claims) do
  local key = key_of(claim)
  local ended = key and last_written[key] and last_written[key][1] > number_of(token_of(claim))
  if not written[position] then
    if claimant_of(claim) == executor or ended then
      return_claim(position, key)
      claims[position] = nil
    else
      others[#others + 1] = position
    end
  end
end
table.sort(others, function(one, two) return number_of(token_of(claims[one])) > number_of(token_of(claims[two])) end)
-- Claims that the last owner's lease covered get leases of their own, for it does not renew them any more.
local listed, covered, covered_claims = {}, {}, {}
if cover[2] == '0' then
  cover[2] = format('%.0f', now + lease) -- They may run: if their executors renew them, they go on.
end
for _, position in ipairs(others) do
  local claim = claims[position]
  local key = key_of(claim)
  if key and call('HEXISTS', BLOCKED, key) == 0 then
    block(key, BLOCKED_BY_OTHER_OWNER, position)
  end
  local n = #listed
  listed[n + 1], listed[n + 2], listed[n + 3] = position, number_of(token_of(claim)), key
  listed[n + 4] = call('HEXISTS', TASKS, position)
  listed[n + 5] = lease_of(position, claim) - now
  if is_covered(claim) then
    covered[#covered + 1] = position
    covered_claims[#covered] = claim
  end
end
uncover(covered, covered_claims, cover[2])

-- Returns what blocks the keys of which there is a claim, or one was presented.
local function blocked_keys_of_claims()
  local seen, names, found = {}, {}, {}
  local function add(key)
    if key and not seen[key] then
      seen[key] = true
      names[#names + 1] = key
    end
  end
  for i = 1, #presented do
    add(keys[i])
  end
  for _, claim in pairs(claims) do
    add(key_of(claim))
  end
  for i, entry in pairs(keyed_entries(names)) do
    if entry then
      found[#found + 1] = names[i]
      found[#found + 1] = entry
    end
  end
  return found
end

groups.write()
return {REPLY_OK, epoch, run, tonumber(incarnation), tonumber(high_water), stored_commit, listed,
  blocked_keys_of_claims(), call('HLEN', BLOCKED), next_due(), next_lapse(quiet_until), math.max(0, quiet_until - now),
  holding, read_page(1, '0'), call('ZCOUNT', SCHEDULED, FIRST_PLACE, '+inf') > 0 and 1 or 0}
