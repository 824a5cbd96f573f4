-- Shows what is known of a task with a deduplication key, for one that may wait for it.
--
-- KEYS 1    what is known of the deduplication key, see deduplicate
-- KEYS 2    the tasks that wait for it, see await_tasks
-- ARGV 1    queue/partition/position of the other task
-- Returns   {BEARER_... (what the bearer does; '' if nothing is known), its partition/position, its id, since when the other
--           task waits (ms; 0: it never asked), 1 if it need not wait any more, else 0, count of the tasks that wait}
local call, unpack_list = redis.call, cmsgpack.unpack
local entry, packed = call('HGET', KEYS[1], 'h'), call('HGET', KEYS[2], ARGV[1])
local h = entry and unpack_list(entry) or {'', '', '', ''}
local w = packed and unpack_list(packed) or {0, 0}
local over = w[2] == 1 or h[1] == BEARER_DONE or w[1] > 0 and (h[21] or 0) >= w[1]
return {h[1] == BEARER_AWAITED and '' or h[1], h[2], h[4], w[1], over and 1 or 0, call('HLEN', KEYS[2])}
