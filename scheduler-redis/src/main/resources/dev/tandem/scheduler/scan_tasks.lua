-- Lists tasks of one state for an operation that changes many: the oldest first. Changes nothing. What the operation does to
-- the tasks of one page does not disturb the next one.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    dead, parked, near, far (scheduled tasks that are not far off, those that are), retry, or active (of those that
--           run, the ones whose envelopes the store has)
-- ARGV 2    cursor ('': from the start)
-- ARGV 3    most tasks
-- ARGV 4    dead: those that died later are left out, µs; else '+inf'
-- Returns   {next cursor ('': the end), tasks as in include/task_pages, for parked: the member of `lanes` of each of them}
-- @include partition_keys
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include covered_claims
-- @include envelope
-- @include lanes
-- @include blocked_keys
-- @include far_schedule
-- @include task_pages
-- @include member_order
-- @include ranks

-- Fills a page out of a sorted set. Returns whether there may be more.
local function add_oldest(page, set, envelopes, cursor, most, latest)
  local rank, units = rank_behind(set, cursor), set == DEAD and 1000 or 1
  local members = call('ZRANGE', set, rank, rank + most - 1, 'WITHSCORES')
  local batch = {positions = {}, times = {}, cursors = {}}
  for i = 1, #members, 2 do
    local n, score = #batch.positions + 1, members[i + 1]
    if tonumber(score) > latest then
      break
    end
    batch.positions[n], batch.times[n], batch.cursors[n] = members[i], score / units, score .. ' ' .. members[i]
  end
  page.add(batch, envelopes)
  return page.is_full()
end

local what, cursor, most = ARGV[1], ARGV[2], math.min(tonumber(ARGV[3]), MAX_CHANGED_TASKS)
local latest = ARGV[4] == '+inf' and 1 / 0 or tonumber(ARGV[4])
local page, more = new_page((what == 'near' or what == 'far') and 'scheduled' or what, most, MAX_CHANGED_BYTES), nil
if what == 'far' then
  return {add_far_off(page, string.match(cursor, '^later (.*)$') or '', MAX_CHANGED_FAR_TASKS), page.tasks, {}}
elseif what == 'parked' then
  more = add_parked(page, cursor, most)
elseif what == 'active' then
  more = add_active(page, cursor, true)
elseif what == 'dead' then
  more = add_oldest(page, DEAD, DEAD_TASKS, cursor, most, latest)
else
  more = add_oldest(page, what == 'near' and SCHEDULED or RETRY, TASKS, cursor, most, latest)
end
return {more and page.cursor or '', page.tasks, what == 'parked' and page.cursors or {}}
