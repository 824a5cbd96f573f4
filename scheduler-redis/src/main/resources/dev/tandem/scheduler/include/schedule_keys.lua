-- The keys of one bucket of schedules. Every script of schedules declares all of them, in this order.
-- docs/redis-keys.md says what they hold.
-- Requires: nothing.
-- Provides: a name for each key, short names for functions, the current version of a schedule, revision, revise.
--
-- KEYS 1   definitions  hash: schedule -> definition
-- KEYS 2   versions     hash: schedule -> start of the program, version, timing
-- KEYS 3   fired        hash: schedule -> last instant that fired or was passed over, ms
-- KEYS 4   claims       hash: schedule -> instant, deadline, program
-- KEYS 5   paused       hash: schedule -> since when it is paused, ms
-- KEYS 6   asked        hash: schedule -> when somebody asked for a firing, ms
-- KEYS 7   seen         sorted set: schedule by when a program last announced it, ms
-- KEYS 8   open         hash: schedule -> last firing whose task is not known to have ended, ms
-- KEYS 9   totals       hash: schedule and name -> total
-- KEYS 10  created      hash: schedule that somebody created -> version of its definition; '' -> revision of them all
-- KEYS 11  payloads     hash: schedule that somebody created -> payload of its tasks
-- KEYS 12  deleted      hash: schedule that was deleted lately -> all that was known of it; '' -> revision as in `created`
local DEFINITIONS, VERSIONS, FIRED, CLAIMS = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local PAUSED, ASKED, SEEN, OPEN, TOTALS = KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local CREATED, PAYLOADS, DELETED = KEYS[10], KEYS[11], KEYS[12]
local call, format = redis.call, string.format
local function version_of(id)
  local text = call('HGET', VERSIONS, id)
  if not text then
    return nil
  end
  local since, version, timing = string.match(text, '^(%d+) (%S+) (%S+)$')
  return tonumber(since), version, timing
end
local function revision()
  return call('HGET', CREATED, '') or '0'
end
-- Gives the created schedules a new revision, which also differs from those that a Redis had which has lost its last
-- writes. A server that knows nothing of `deleted` writes a revision to `created` only. If the revisions differ, an
-- earlier server may have reused a deleted id, so what is kept is void.
local function revise(now)
  local former = revision()
  local latest = format('%.0f', math.max(now, tonumber(former) + 1))
  call('HSET', CREATED, '', latest)
  local kept = call('HGET', DELETED, '')
  if kept == former then
    call('HSET', DELETED, '', latest)
  elseif kept then
    call('DEL', DELETED)
  end
end
