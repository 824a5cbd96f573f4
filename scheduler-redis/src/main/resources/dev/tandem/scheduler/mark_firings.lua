-- Marks claims as done: the tasks of the instants are accepted by their brokers, or the instants are passed over. Also
-- marks what a program did whose claim has ended meanwhile, so that no other one does it again.
--
-- KEYS      the bucket's, see include/schedule_keys
-- ARGV 1    now, ms
-- ARGV 2    the program
-- then      for each claim: schedule, instant, 1 if somebody asked for it, 1 if its task was submitted, 1 if later
--           firings ask whether that task has ended, how many instants were passed over as missed, 1 if it did not fire
--           because the task of an earlier one runs
-- Returns   {0}
-- @include schedule_keys
-- After a removal, Redis lets a script finish although its memory is full: the tasks are submitted already.
call('HDEL', CLAIMS, '')
for i = 3, #ARGV, 7 do
  local id, instant = ARGV[i], ARGV[i + 1]
  local submitted = ARGV[i + 3] == '1'
  if call('HEXISTS', VERSIONS, id) == 1 then
    local new = true
    if ARGV[i + 2] == '1' then
      new = call('HGET', ASKED, id) == instant
      if new then
        call('HDEL', ASKED, id)
      end
    else
      new = tonumber(call('HGET', FIRED, id) or -1) < tonumber(instant)
      if new then
        call('HSET', FIRED, id, instant)
      end
    end
    local claimed = string.match(call('HGET', CLAIMS, id) or '', '^(%S+) ')
    if claimed == instant then
      call('HDEL', CLAIMS, id)
    end
    if new then
      if submitted then
        call('HINCRBY', TOTALS, id .. ' fired', 1)
      end
      if submitted and ARGV[i + 4] == '1' then
        call('HSET', OPEN, id, instant)
      end
      if ARGV[i + 5] ~= '0' then
        call('HINCRBY', TOTALS, id .. ' missed', ARGV[i + 5])
      end
      if ARGV[i + 6] == '1' then
        call('HINCRBY', TOTALS, id .. ' skipped', 1)
      end
    end
  end
end
return {0}
