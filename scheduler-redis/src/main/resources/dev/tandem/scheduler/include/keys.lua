-- The keys of one partition, in the order in which every script gets them.
local OWNER, CLAIMS, INFLIGHT, ATTEMPTS, TASKS = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local SCHEDULED, RETRY, BLOCKED, LANES, SETTLED = KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]
local DEAD, DEAD_TASKS, SUCCEEDED, SAMPLES, OPENED = KEYS[11], KEYS[12], KEYS[13], KEYS[14], KEYS[15]
local STATS, INDEX, LATER, MINUTES = KEYS[16], KEYS[17], KEYS[18], KEYS[19]
local PAGES, OWED, GIVEN = KEYS[20], KEYS[21], KEYS[22]
local call, sub, byte, format, floor = redis.call, string.sub, string.byte, string.format, math.floor
local pack, unpack_one = struct.pack, struct.unpack
