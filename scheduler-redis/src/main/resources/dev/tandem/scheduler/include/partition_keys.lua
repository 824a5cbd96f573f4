-- The keys of one partition. Every script declares all of them, in this order. docs/redis-keys.md says what they
-- hold.
-- Requires: nothing.
-- Provides: a name for each key, and short names for functions (a local is faster than a global).
--
-- KEYS 1   owner       hash: the ownership, and each writer's last number
-- KEYS 2   claims      hash: position -> claim
-- KEYS 3   inflight    sorted set: position by lease deadline, ms
-- KEYS 4   attempts    hash: position -> lapsed claims
-- KEYS 5   tasks       hash: position -> envelope
-- KEYS 6   scheduled   sorted set: position by due time, ms
-- KEYS 7   retry       sorted set: position by due time, ms
-- KEYS 8   blocked     hash: key -> reason, since, head
-- KEYS 9   lanes       sorted set of equal scores: key, sequence number, position
-- KEYS 10  settled     hash: number of a block -> bits
-- KEYS 11  dead        sorted set: position by time of death, µs
-- KEYS 12  dead-tasks  hash: position -> envelope
-- KEYS 13  succeeded   sorted set: position by end, µs. Earlier versions wrote it, and samples
-- KEYS 14  samples     hash: position -> envelope
-- KEYS 15  opened      set: keys that went on since the owner's last renewal
-- KEYS 16  stats       hash: name -> total
-- KEYS 17  index       hash: id -> positions
-- KEYS 18  later       hash: packed lists of far-off tasks
-- KEYS 19  minutes     sorted set: minute by its earliest due time, ms
-- KEYS 20  pages       list: identities of settled messages
-- KEYS 21  owed        sorted set: position that awaits redelivery by since when, ms
-- KEYS 22  given       hash: position -> answer and asker
-- KEYS 23  successes   list: pages of records of tasks that succeeded, see include/success_keys
-- KEYS 24  success-ids list: what is searched in those pages, one entry for each
-- KEYS 25  checkpoints hash: position -> what its last run noted to go on from, see save_checkpoint
-- KEYS 26  progress    hash: position -> progress and log lines of its runs, see write_progress
-- KEYS 27  untold-ends  list: tasks with deduplication keys, and subtasks, that ended without a run, see untold_ends
-- KEYS 28  dead-groups hash: group of dead tasks -> what is counted of it, see include/dead_groups
-- KEYS 29  grouped     hash: position of a dead task -> its group
local OWNER, CLAIMS, INFLIGHT, ATTEMPTS, TASKS = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local SCHEDULED, RETRY, BLOCKED, LANES, SETTLED = KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]
local DEAD, DEAD_TASKS, SUCCEEDED, SAMPLES, OPENED = KEYS[11], KEYS[12], KEYS[13], KEYS[14], KEYS[15]
local STATS, INDEX, LATER, MINUTES = KEYS[16], KEYS[17], KEYS[18], KEYS[19]
local PAGES, OWED, GIVEN = KEYS[20], KEYS[21], KEYS[22]
local call, sub, byte, format, floor = redis.call, string.sub, string.byte, string.format, math.floor
local pack, unpack_one = struct.pack, struct.unpack
