-- The keys of all operations on many tasks. docs/redis-keys.md says what they hold.
-- Requires: nothing.
-- Provides: a name for each key, short names for functions, now (ms) and now_text.
--
-- KEYS 1  definitions  hash: operation -> when it began in µs, a blank, its definition
-- KEYS 2  progress     hash: operation -> progress
-- KEYS 3  claims       hash: operation -> program that runs it
-- KEYS 4  stops        hash: operation -> since when it is to stop, ms
-- KEYS 5  open         sorted set: operation that has not ended, by when its claim ends, ms
-- KEYS 6  ended        sorted set: operation by its end, ms
-- KEYS 7  counted      sorted set: operation that only counted, by its end, ms
local DEFINITIONS, PROGRESS, CLAIMS, STOPS, OPEN, ENDED, COUNTED =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local call, format, floor = redis.call, string.format, math.floor
local time = call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = floor(micros / 1000)
local now_text = format('%.0f', now)
