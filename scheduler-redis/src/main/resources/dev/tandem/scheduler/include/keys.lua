-- The keys of one partition, in the order in which every script gets them.
local OWNER, WRITERS, CLAIMS, INFLIGHT, ATTEMPTS = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local TASKS, SCHEDULED, RETRY, BLOCKED, LANES = KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]
local SETTLED, DEAD, DEAD_TASKS, SUCCEEDED, SAMPLES = KEYS[11], KEYS[12], KEYS[13], KEYS[14], KEYS[15]
local OPENED, STATS = KEYS[16], KEYS[17]
local call, sub, byte, format, floor = redis.call, string.sub, string.byte, string.format, math.floor
local pack, unpack_one = struct.pack, struct.unpack
