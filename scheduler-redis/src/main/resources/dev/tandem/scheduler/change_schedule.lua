-- Makes a change of one schedule, most of them for operators.
--
-- KEYS      the bucket's, see include/schedule_keys
-- ARGV 1    now, ms
-- ARGV 2    how long a schedule is current without being announced, ms
-- ARGV 3    the schedule
-- ARGV 4    PAUSE, RESUME, FIRE or FORGET; RESTORE: it is as it was before FORGET; LOOK: only says what RESTORE would
--           bring back; or ENDED: the task of a firing has ended
-- ARGV 5    for ENDED, the instant of that firing, ms; for RESTORE, the most schedules of the bucket
-- ARGV 6    for RESTORE, the most created ones of the bucket
-- ARGV 7    for RESTORE, the version that LOOK returned; another one is not restored
-- Returns   {result (SCHEDULE_...)}; for LOOK also 1 if somebody created it, its version, and its definition
-- @include schedule_keys
local now, id, change = tonumber(ARGV[1]), ARGV[3], ARGV[4]
local TOTALS_OF_ONE = {' fired', ' missed', ' skipped'}

-- Returns when a schedule was deleted, and what was known of it: in the hashes of KEYS 1 to 3, 5 and 6, in `seen`, `open`,
-- `created` and `payloads`, and its totals; false for each that was not there. Nil if it can be restored no more.
local function deleted()
  local packed = call('HGET', DELETED, '') == revision() and call('HGET', DELETED, id)
  local at, all = 0, nil
  if packed then
    at, all = unpack(cmsgpack.unpack(packed))
  end
  return now - at < DELETED_SCHEDULE_MILLIS and all or nil
end

-- Returns the version in a field of VERSIONS.
local function version_in(text)
  return string.match(text, '^%d+ (%S+) ')
end

local function known()
  local all = {}
  for i, key in ipairs({DEFINITIONS, VERSIONS, FIRED, PAUSED, ASKED, OPEN, CREATED, PAYLOADS}) do
    all[i] = call('HGET', key, id)
  end
  all[9] = call('ZSCORE', SEEN, id)
  for i, total in ipairs(TOTALS_OF_ONE) do
    all[9 + i] = call('HGET', TOTALS, id .. total)
  end
  return all
end

-- Keeps what was known of deleted schedules little: the latest ones, as long as they can be restored.
local function keep_deleted(all)
  if call('HGET', DELETED, '') ~= revision() then
    call('DEL', DELETED)
  end
  local kept, oldest, since = call('HGETALL', DELETED), nil, math.huge
  for i = 1, #kept, 2 do
    local at = kept[i] ~= '' and cmsgpack.unpack(kept[i + 1])[1] or math.huge
    if now - at >= DELETED_SCHEDULE_MILLIS then
      call('HDEL', DELETED, kept[i])
    elseif at < since then
      oldest, since = kept[i], at
    end
  end
  -- One of the fields is the revision.
  if oldest and call('HLEN', DELETED) > MAX_DELETED_SCHEDULES then
    call('HDEL', DELETED, oldest)
  end
  call('HSET', DELETED, '', revision(), id, cmsgpack.pack({now, all}))
  call('PEXPIRE', DELETED, DELETED_SCHEDULE_MILLIS)
end

-- It goes on where it was: what was due meanwhile is late or missed, as after a time in which no program was up.
local function restore(all)
  for i, key in ipairs({DEFINITIONS, VERSIONS, FIRED, PAUSED, ASKED, OPEN, CREATED, PAYLOADS}) do
    if all[i] then
      call('HSET', key, id, all[i])
    end
  end
  call('ZADD', SEEN, all[7] and ARGV[1] or all[9] or '0', id)
  for i, total in ipairs(TOTALS_OF_ONE) do
    if all[9 + i] then
      call('HSET', TOTALS, id .. total, all[9 + i])
    end
  end
  if all[7] then
    revise(now)
  end
  call('HDEL', DELETED, id)
end

local exists = call('HEXISTS', VERSIONS, id) == 1
local stale = now - tonumber(call('ZSCORE', SEEN, id) or 0) >= tonumber(ARGV[2])
if change == 'RESTORE' or change == 'LOOK' then
  local all = deleted()
  if exists then
    return {call('HEXISTS', CREATED, id) == 1 and SCHEDULE_DIFFERS or stale and SCHEDULE_IS_STALE or SCHEDULE_IS_CURRENT}
  elseif not all then
    return {SCHEDULE_NOT_FOUND}
  elseif change == 'LOOK' then
    return {SCHEDULE_CHANGED, all[7] and 1 or 0, version_in(all[2]), all[1]}
  elseif version_in(all[2]) ~= ARGV[7] then
    return {SCHEDULE_DIFFERS}
  elseif call('HLEN', DEFINITIONS) >= tonumber(ARGV[5]) or all[7] and call('HLEN', CREATED) > tonumber(ARGV[6]) then
    return {SCHEDULES_ARE_FULL}
  end
  restore(all)
  return {SCHEDULE_CHANGED}
elseif not exists then
  return {SCHEDULE_NOT_FOUND}
end
if change == 'PAUSE' then
  call('HSETNX', PAUSED, id, ARGV[1])
elseif change == 'RESUME' then
  if call('HDEL', PAUSED, id) == 1 then
    call('HSET', FIRED, id, format('%.0f', math.max(now, tonumber(call('HGET', FIRED, id) or 0))))
  end
elseif change == 'ENDED' then
  if call('HGET', OPEN, id) == ARGV[5] then
    call('HDEL', OPEN, id)
  end
elseif change == 'FIRE' then
  if stale then
    return {SCHEDULE_IS_STALE}
  end
  -- The instants of the schedule itself are whole seconds, so this is none of them.
  call('HSETNX', ASKED, id, format('%.0f', now % 1000 == 0 and now + 1 or now))
else
  local all = known()
  local created = call('HDEL', CREATED, id) == 1
  if not stale and not created then
    return {SCHEDULE_IS_CURRENT}
  end
  if created then
    call('HDEL', PAYLOADS, id)
    revise(now)
  end
  for i = 1, 6 do
    call('HDEL', KEYS[i], id)
  end
  call('ZREM', SEEN, id)
  call('HDEL', OPEN, id)
  for _, total in ipairs(TOTALS_OF_ONE) do
    call('HDEL', TOTALS, id .. total)
  end
  keep_deleted(all) -- After a removal, Redis lets a script finish although its memory is full.
end
return {SCHEDULE_CHANGED}
