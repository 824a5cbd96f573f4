-- Redis's own time.
-- Requires: partition_keys.
-- Provides: now (ms), micros (µs).
local time = call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = floor(micros / 1000)
