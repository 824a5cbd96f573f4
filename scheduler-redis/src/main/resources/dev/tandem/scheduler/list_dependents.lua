-- Lists tasks that wait for a task with a deduplication key, in no order.
--
-- KEYS 1    the tasks that wait for it, see ask_dependencies
-- ARGV 1    where the list goes on; '0': at its beginning
-- ARGV 2    about how many
-- Returns   {where it goes on, '0' if it ends here, and for each task: queue, partition, position, since when it waits (ms),
--           1 if it need not wait any more, else 0}
local page = redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', ARGV[2])
local reply = {page[1]}
for i = 2, #page[2], 2 do
  local w = cmsgpack.unpack(page[2][i])
  for _, field in ipairs({3, 4, 5, 1, 2}) do
    reply[#reply + 1] = w[field]
  end
end
return reply
