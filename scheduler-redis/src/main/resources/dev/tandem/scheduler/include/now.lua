-- Redis's own time: `now` in milliseconds, `micros` in microseconds.
local time = call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = floor(micros / 1000)
