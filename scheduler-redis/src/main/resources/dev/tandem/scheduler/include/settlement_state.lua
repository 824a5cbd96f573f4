-- What a script that settles knows and counts.
-- Requires: partition_keys, note_keys, batched_commands, settled_bits.
-- Provides: the state below, append_pair, forget_notes, write_relayed, count_outcomes.
local claims = {} -- position -> claim as far as known; false: none
local relayed = {} -- position -> claim that this request relayed and has not written yet
local succeeded, retried, died = 0, 0, 0
local other_ends = {} -- name of a total of other ends -> how many
local any_stored = call('EXISTS', TASKS, ATTEMPTS, BLOCKED, DEAD_TASKS, CHECKPOINTS, PROGRESS) > 0
local any_tasks = any_stored and call('EXISTS', TASKS) == 1
local any_attempts = any_stored and call('EXISTS', ATTEMPTS) == 1
local any_blocked = any_stored and call('EXISTS', BLOCKED) == 1
local any_notes = any_stored and call('EXISTS', CHECKPOINTS, PROGRESS) > 0
local mark_settled = set_bit -- mark_settled(bit, position); a message queue's scripts replace it by (page, position)

local function append_pair(list, one, two)
  local n = #list
  list[n + 1] = one
  list[n + 2] = two
end

-- Forgets what runs of these positions noted: checkpoints, progress and log lines.
local function forget_notes(positions)
  if any_notes then
    each_slice('HDEL', CHECKPOINTS, positions)
    each_slice('HDEL', PROGRESS, positions)
  end
end

-- deadline: ms, as text, if the claims are not covered.
local function write_relayed(deadline)
  if not next(relayed) then
    return
  end
  local made, leases = {}, {}
  for position, claim in pairs(relayed) do
    append_pair(made, position, claim)
    if deadline then
      append_pair(leases, deadline, position)
    end
  end
  each_slice('HSET', CLAIMS, made)
  each_slice('ZADD', INFLIGHT, leases)
  relayed = {}
end

local function count_outcomes()
  if succeeded > 0 then
    call('HINCRBY', STATS, 'succeeded', succeeded)
  end
  if retried > 0 then
    call('HINCRBY', STATS, 'retried', retried)
  end
  if died > 0 then
    call('HINCRBY', STATS, 'dead', died)
  end
  for total, count in pairs(other_ends) do
    call('HINCRBY', STATS, total, count)
  end
end
