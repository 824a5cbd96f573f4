-- Reads the groups of dead tasks of a partition, those with the most tasks first. Their number is bounded.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    most groups
-- Returns   {dead tasks, tasks in groups, keys that the tasks of all groups halt, groups, then for each of the first ones:
--           the group, its record as in include/dead_groups}
-- @include partition_keys
local all, order, grouped, halting = call('HGETALL', KEYS[28]), {}, 0, 0
-- Sorts packed numbers (count x stride + index): a comparator function is much slower.
local stride = #all + 1
for i = 1, #all, 2 do
  local count, halted = string.match(all[i + 1], '^(%d+) (%d+)')
  order[#order + 1] = count * stride + i
  grouped, halting = grouped + count, halting + halted
end
table.sort(order)
local reply = {call('ZCARD', DEAD), grouped, halting, #order}
for n = #order, math.max(1, #order - ARGV[1] + 1), -1 do
  local i = order[n] % stride
  reply[#reply + 1] = all[i]
  reply[#reply + 1] = all[i + 1]
end
return reply
