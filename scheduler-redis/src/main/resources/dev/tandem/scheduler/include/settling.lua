-- What a script that settles knows and gathers.
local claims = {} -- position -> claim, as far as known; false: none
local fresh = {} -- position -> claim that this request relayed and that is not written yet
local gone, forgotten = {}, {} -- positions out of claims and inflight; out of attempts and tasks
local succeeded, retried, died = 0, 0, 0
local writes = {tasks = {}, untasks = {}, retry = {}, dead = {}, dead_tasks = {}, succeeded = {}, samples = {}}
local any = call('EXISTS', TASKS, ATTEMPTS, BLOCKED, DEAD_TASKS) > 0
local any_tasks = any and call('EXISTS', TASKS) == 1
local any_attempts = any and call('EXISTS', ATTEMPTS) == 1
local any_blocked = any and call('EXISTS', BLOCKED) == 1
local now_text = format('%.0f', now)
local mark = set_bit -- what settles an offset, or a position of a queue: mark(bit or page, position)

local function put(list, one, two)
  local n = #list
  list[n + 1] = one
  list[n + 2] = two
end

local function write_fresh(deadline)
  if not next(fresh) then
    return
  end
  local made, leases = {}, {}
  for position, claim in pairs(fresh) do
    put(made, position, claim)
    put(leases, deadline, position)
  end
  each_slice('HSET', CLAIMS, made)
  each_slice('ZADD', INFLIGHT, leases)
  fresh = {}
end

local function count_settled()
  if succeeded > 0 then
    call('HINCRBY', STATS, 'succeeded', succeeded)
  end
  if retried > 0 then
    call('HINCRBY', STATS, 'retried', retried)
  end
  if died > 0 then
    call('HINCRBY', STATS, 'dead', died)
  end
end
