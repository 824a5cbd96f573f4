-- The keys of a limit, and its holders: executors that have permits or want some. `HOLDERS`: executor -> MessagePack of
-- {permits held, those in use, those wanted, until when (ms), number of the last request, since when it has or lacks one more
-- than others (ms), 1 if it has one more, runs that wait, the most permits of all by its settings}. `RUNS`: executor -> MessagePack
-- of the runs that it names. `OVERRIDE`: what an operator has set in place of the settings: `max`, `by`, `at` (ms). `read_holders` returns the holders, and forgets those whose lease is over.
-- Requires: nothing.
-- Provides: call, pack, unpack_list, max, min, now, HOLDERS, RUNS, OVERRIDE, read_holders.
local call, pack, unpack_list, max, min = redis.call, cmsgpack.pack, cmsgpack.unpack, math.max, math.min
local HOLDERS, RUNS, OVERRIDE = KEYS[1], KEYS[2], KEYS[3]
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
call('HDEL', RUNS, '') -- After a removal, Redis lets permits be given back even when memory is full.

local function read_holders()
  local holders = {}
  local all = call('HGETALL', HOLDERS)
  for i = 1, #all, 2 do
    local e = unpack_list(all[i + 1])
    if e[4] < now then
      call('HDEL', HOLDERS, all[i])
      call('HDEL', RUNS, all[i])
    else
      holders[#holders + 1] = {name = all[i], held = e[1], used = e[2], wanted = e[3], until_ms = e[4], number = e[5],
        since = e[6], extra = e[7] == 1, waiting = e[8], limit = e[9]}
    end
  end
  return holders
end
