-- Settling, shared by step and late. Needs the claims of the positions in `claims`; what is to be written gathers in
-- lists (see include/settling.lua), so that a batch costs a few commands; `write_settled` writes them.
local function write_settled()
  if #gone > 0 then
    each_slice('HDEL', CLAIMS, gone)
    each_slice('ZREM', INFLIGHT, gone)
  end
  if any_attempts then
    each_slice('HDEL', ATTEMPTS, forgotten)
  end
  if any_tasks then
    each_slice('HDEL', TASKS, writes.untasks)
  end
  each_slice('HSET', TASKS, writes.tasks)
  each_slice('ZADD', RETRY, writes.retry)
  each_slice('HSET', DEAD_TASKS, writes.dead_tasks)
  each_slice('ZADD', DEAD, writes.dead)
  each_slice('HSET', SAMPLES, writes.samples)
  each_slice('ZADD', SUCCEEDED, writes.succeeded)
  write_labels()
  if #writes.tasks > 0 then
    any_tasks = true
  end
  gone, forgotten = {}, {}
  writes = {tasks = {}, untasks = {}, retry = {}, dead = {}, dead_tasks = {}, succeeded = {}, samples = {}}
end

local order = 0
-- Among the dead and the succeeded: by time in microseconds, one apart within a script, so that order is kept.
local function history(times, envelopes, position, envelope)
  put(times, format('%.0f', micros + order), position)
  put(envelopes, position, envelope)
  label(position, envelope)
  order = order + 1
end

-- The head of a blocked key has ended. Answers 1: its lane is empty, the key is open; 0: the next is due now; or the
-- next one, claimed under `token`, as {position, lapses, envelope}.
local function go_on(key, token, deadline)
  local position = lane_pop(key)
  if not position then
    call('HDEL', BLOCKED, key)
    return 1
  end
  block(key, 'H', position)
  if not token then
    call('ZADD', RETRY, now_text, position)
    return 0
  end
  claims[position] = claim_head() .. claim_tail(token, owner[3], key)
  call('HSET', CLAIMS, position, claims[position])
  call('ZADD', INFLIGHT, deadline, position)
  return {position, tonumber(call('HGET', ATTEMPTS, position) or '0'), call('HGET', TASKS, position)}
end

-- What is kept of a task that dies behind the head of its key; as dev.tandem.task.Envelope has it.
local function drained(envelope, head)
  local partition = string.match(OWNER, '/([^/}]*)}')
  return envelope_with_error(envelope, 'drained behind @' .. partition .. '/' .. head .. ', the head of its key')
end

local function heads(key, position)
  if not key or not any_blocked then
    return false
  end
  local entry = call('HGET', BLOCKED, key)
  return entry and head_of(entry) == position
end

-- Whether an outcome that has no claim under its token is there already. Answers 2: it is; 3: refused.
local function seen(position, token, bit, verdict)
  write_settled()
  local envelope = call('HGET', TASKS, position) or call('HGET', DEAD_TASKS, position)
  if envelope then
    return envelope_token(envelope) == token and 2 or 3
  end
  local success = verdict == 'K' or verdict == 'S'
  local settled = bit >= 0 and has_bit(bit) or is_queue and is_owed(position)
  return success and not claims[position] and settled and 2 or 3
end

-- Settles one outcome. Verdicts: K succeeded, S succeeded with a sample, R retry after `number` ms, H, P and D dead with
-- halt, skip and drain, B not started. Answers as go_on, or as seen.
local function settle(position, token, key, bit, verdict, number, blob, next_token, deadline)
  local claim = claims[position]
  if not claim or token_of(claim) ~= token then
    return seen(position, token, bit, verdict)
  end
  claims[position] = false
  if fresh[position] then
    fresh[position] = nil
  else
    gone[#gone + 1] = position
  end
  if verdict == 'B' then
    if any_tasks and call('HEXISTS', TASKS, position) == 1 then
      put(writes.retry, now_text, position)
    elseif heads(key, position) then
      block(key, 'R', position)
    end
    return 0
  end
  forgotten[#forgotten + 1] = position
  if bit == OWED_MARK then
    if is_queue and not (any_tasks and call('HEXISTS', TASKS, position) == 1) then
      owes[position] = true
    end
  else
    mark(bit, position)
  end
  if verdict == 'R' then
    retried = retried + 1
    put(writes.tasks, position, blob)
    label(position, blob)
    put(writes.retry, format('%.0f', now + number), position)
    if key then
      block(key, 'H', position)
      any_blocked = true
    end
    return 0
  end
  writes.untasks[#writes.untasks + 1] = position
  if verdict == 'K' or verdict == 'S' then
    succeeded = succeeded + 1
    if verdict == 'S' then
      history(writes.succeeded, writes.samples, position, blob)
    end
    return heads(key, position) and (write_settled() or go_on(key, next_token, deadline)) or 0
  end
  died = died + 1
  history(writes.dead, writes.dead_tasks, position, blob)
  if not key then
    return 0
  elseif verdict == 'H' then
    block(key, 'X', position)
    any_blocked = true
    return 0
  end
  local head = heads(key, position)
  write_settled()
  if verdict == 'D' then
    local next = lane_pop(key)
    while next do
      died = died + 1
      history(writes.dead, writes.dead_tasks, next, drained(call('HGET', TASKS, next), position))
      writes.untasks[#writes.untasks + 1] = next
      next = lane_pop(key)
    end
    write_settled()
  end
  return head and go_on(key, next_token, deadline) or 0
end

-- Passes a key's claim on to the next task, which runs already: unless the key is blocked, or somebody has that task.
local function relay(position, following, key)
  local claim = claims[position]
  if claim == nil then
    claim = call('HGET', CLAIMS, position)
  end
  if claim or key and any_blocked and call('HEXISTS', BLOCKED, key) == 1 then
    return
  end
  if claims[position] == false then
    write_settled() -- This request settled it before, and may not have written that yet.
  end
  if any_tasks and call('HEXISTS', TASKS, position) == 1
      or (any or died > 0) and call('HEXISTS', DEAD_TASKS, position) == 1 then
    return
  end
  claims[position] = following
  fresh[position] = claims[position]
end
