-- Reads the groups of dead tasks of a partition, those with the most tasks first. Their number is bounded.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    most groups
-- Returns   {dead tasks, tasks in groups, groups, then for each: the group, its record as in include/dead_groups}
-- @include partition_keys
local all, groups, grouped = call('HGETALL', KEYS[28]), {}, 0
for i = 1, #all, 2 do
  local count = tonumber(string.match(all[i + 1], '^%d+'))
  groups[#groups + 1] = {count, all[i], all[i + 1]}
  grouped = grouped + count
end
table.sort(groups, function(one, other)
  return one[1] > other[1]
end)
local reply = {call('ZCARD', DEAD), grouped, #groups}
for i = 1, math.min(#groups, tonumber(ARGV[1])) do
  reply[#reply + 1] = groups[i][2]
  reply[#reply + 1] = groups[i][3]
end
return reply
