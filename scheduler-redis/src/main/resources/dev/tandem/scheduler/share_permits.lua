-- Takes, keeps and gives back an executor's permits of a limit, and says how many it should have while others wait. The
-- request describes a state, so that it may be repeated.
--
-- KEYS      the limit's, see include/limit_keys
-- ARGV 1    executor
-- ARGV 2    number of the request. One with a lower or the same number as the last is answered, and has no effect
-- ARGV 3    the most permits of all executors, by the executor's settings. An override takes their place
-- ARGV 4    permits in use
-- ARGV 5    permits that are not given back
-- ARGV 6    permits that are wanted in all
-- ARGV 7    runs that wait, for people
-- ARGV 8    lease, ms
-- ARGV 9    channel on which executors hear that they should ask again
-- ARGV 10   MessagePack of a list of runs with a permit, for people; '': as before
-- Returns   {REPLY_OK, permits that runs may begin with, share, 1 if others wait, the most permits in force}
-- @include limit_keys
local me, number, configured = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local overridden = tonumber(call('HGET', OVERRIDE, 'max'))
local limit = overridden or configured
-- Executors may not have heard of the override yet, so that they want more.
local most_wanted = overridden or math.huge
local used, kept, wanted = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])

local mine = {name = me, had = used, held = used, since = now, extra = false}
local others, others_held, others_wait = {}, 0, false
for _, e in ipairs(read_holders()) do
  if e.name == me then
    if number <= e.number then
      return {REPLY_OK, e.held, e.held, 0, limit}
    end
    -- What Redis has forgotten is not given back: only permits in use count then.
    mine = {name = me, had = e.held, held = max(used, min(kept, e.held)), since = e.since, extra = e.extra}
  else
    e.wanted = min(e.wanted, most_wanted)
    others[#others + 1] = e
    others_held = others_held + e.held
    others_wait = others_wait or e.wanted > e.held
  end
end
mine.used, mine.wanted = used, max(used, min(wanted, most_wanted))

-- Divides the permits so that nobody has less than a fair part and wants more. Of those who want more, all have `level`
-- permits, and some have one more. These take turns.
local all = {mine}
for _, e in ipairs(others) do
  all[#all + 1] = e
end
table.sort(all, function(a, b) return a.wanted < b.wanted end)
local left, level = limit, limit
local rest = #all
for _, e in ipairs(all) do
  local fair = math.floor(left / rest)
  if e.wanted > fair then
    level = fair
    break
  end
  left, rest = left - e.wanted, rest - 1
end
local turns = {}
for _, e in ipairs(all) do
  e.share = min(e.wanted, level)
  if e.wanted > level then
    turns[#turns + 1] = e
    -- Who has had its turn is last. The times do not tell: a turn may begin in the millisecond in which another one ends.
    e.rank = (e.had or e.held) <= level and 1 or now - e.since < PERMIT_TURN_MILLIS and 0 or 2
  end
end
table.sort(turns, function(a, b)
  if a.rank ~= b.rank then
    return a.rank < b.rank
  end
  return a.since < b.since or a.since == b.since and a.name < b.name
end)
for i = 1, min(#turns, left - level * rest) do
  turns[i].share = level + 1
end

local room = limit - others_held - mine.held
local target = others_wait and mine.share or mine.wanted
if target > mine.held and room > 0 then
  local more = min(room, target - mine.held)
  mine.held, room = mine.held + more, room - more
end
local extra = mine.held > level
if extra ~= mine.extra then
  mine.since, mine.extra = now, extra
end

if mine.held == 0 and mine.wanted == 0 then
  call('HDEL', HOLDERS, me)
  call('HDEL', RUNS, me)
else
  local lease = tonumber(ARGV[8])
  call('HSET', HOLDERS, me, pack({mine.held, used, max(used, wanted), now + lease, number, mine.since, mine.extra and 1 or 0,
    tonumber(ARGV[7]), configured}))
  call('PEXPIRE', HOLDERS, string.format('%.0f', lease + LIMIT_KEPT_MILLIS))
  if ARGV[10] ~= '' then
    call('HSET', RUNS, me, ARGV[10])
    call('PEXPIRE', RUNS, string.format('%.0f', lease + LIMIT_KEPT_MILLIS))
  end
end

-- Who could have more now, or should give some back.
local asked = {}
for _, e in ipairs(others) do
  local gets = room > 0 and e.wanted > e.held and e.held < e.share
  local gives = mine.wanted > mine.held and mine.held < mine.share and e.held > e.share
  if gets or gives then
    asked[#asked + 1] = e.name
  end
end
if #asked > 0 then
  call('PUBLISH', ARGV[9], table.concat(asked, '\n'))
end
-- Permits in use beyond the limit count, and are not used again.
return {REPLY_OK, min(mine.held, max(0, limit - others_held)), mine.share, others_wait and 1 or 0, limit}
