-- Shows who has permits of a limit, and who wants some.
--
-- KEYS      the limit's, see include/limit_keys
-- ARGV      none
-- Returns   {REPLY_OK, the most permits by the settings of the executor that asked last (0: none), fields and values of the override,
--           and for each holder: executor, permits held, those in use, runs that wait, ms until
--           its lease is over, list of queue, place, id and time (ms) of each run that it names}
-- @include limit_keys
local holders = read_holders()
local latest, limit = 0, 0
for _, e in ipairs(holders) do
  if e.until_ms > latest then
    latest, limit = e.until_ms, e.limit
  end
end
local reply = {REPLY_OK, limit, call('HGETALL', OVERRIDE)}
for _, e in ipairs(holders) do
  local runs = call('HGET', RUNS, e.name)
  for _, item in ipairs({e.name, e.held, e.used, e.waiting, e.until_ms - now, runs and unpack_list(runs) or {}}) do
    reply[#reply + 1] = item
  end
end
return reply
