-- Shows a rate limit and its buckets that are in use: those of which some tokens are taken.
--
-- KEYS      what the limit is, its buckets in use, its paused buckets
-- ARGV      how many buckets to name
-- Returns   {REPLY_OK, what the limit is ('' if that is not known), number of buckets in use, number of those that are paused, and for
--           some buckets in use, those first whose tokens come last: name, the time (µs) at which the next token would come if
--           all were taken, until when it is paused (µs; 0: not paused)}
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local behind_now = string.format('(%.0f', now)

local reply = {
  REPLY_OK,
  call('GET', KEYS[1]) or '',
  call('ZCOUNT', KEYS[2], behind_now, '+inf'),
  call('ZCOUNT', KEYS[3], behind_now, '+inf')
}
local found = call('ZREVRANGEBYSCORE', KEYS[2], '+inf', behind_now, 'WITHSCORES', 'LIMIT', 0, ARGV[1])
for i = 1, #found, 2 do
  local paused_until = tonumber(call('ZSCORE', KEYS[3], found[i]) or 0)
  reply[#reply + 1] = found[i]
  reply[#reply + 1] = tonumber(found[i + 1])
  reply[#reply + 1] = paused_until > now and paused_until or 0
end
return reply
