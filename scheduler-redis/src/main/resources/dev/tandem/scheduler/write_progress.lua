-- Keeps the progress and the last log lines of runs, by token only. Those of runs whose claims are not written are left
-- out, unless the outcome of the run is the last one of its task. After MAX_PROGRESS_BYTES the rest is left for another
-- call.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    most lines of a task
-- ARGV 2..  for each run, MessagePack of a list: position, token (8 bytes), progress ('': as before), lines to add
-- Returns   {REPLY_OK, count of the runs whose notes are kept, count of the runs that it looked at: the first ones}
-- @include partition_keys
-- @include note_keys
-- @include clock
-- @include claim_record
-- @include envelope
-- @include run_standing
local max_lines, kept, seen, bytes = tonumber(ARGV[1]), 0, 0, 0

-- Whether the outcome of this run is the last one that was recorded of its task, which waits or is dead.
local function has_just_ended(position, token)
  local envelope = call('HGET', TASKS, position) or call('HGET', DEAD_TASKS, position)
  bytes = bytes + (envelope and 2 * #envelope or 0) -- The standing has read it too.
  return envelope and envelope_token(envelope) == token and call('HEXISTS', CLAIMS, position) == 0
end

-- The form: version 1; when it was written, 6 bytes of ms; MessagePack of a list: progress, then the lines.
local function write(position, progress, lines)
  local before = call('HGET', PROGRESS, position)
  local known = before and cmsgpack.unpack(sub(before, 8)) or {''}
  local left = {progress == '' and known[1] or progress}
  local all = #known - 1 + #lines
  for i = math.max(1, all - max_lines + 1), all do
    left[#left + 1] = i < #known and known[i + 1] or lines[i - #known + 1]
  end
  call('HSET', PROGRESS, position, '\1' .. pack('>I6', now) .. cmsgpack.pack(left))
  bytes = bytes + (before and #before or 0)
end

for i = 2, #ARGV do
  if bytes >= MAX_PROGRESS_BYTES then
    break
  end
  local run = cmsgpack.unpack(ARGV[i])
  local position, token = run[1], run[2]
  seen, bytes = seen + 1, bytes + #ARGV[i]
  if standing_of(position, token) == RUN_CLAIMED or has_just_ended(position, token) then
    write(position, run[3], run[4])
    kept = kept + 1
  end
end
return {REPLY_OK, kept, seen}
