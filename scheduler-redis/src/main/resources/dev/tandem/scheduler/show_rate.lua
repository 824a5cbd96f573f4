-- Shows a rate limit and some of its buckets that are in use: those of which some tokens are taken.
--
-- KEYS      what the limit is, its buckets in use, its paused buckets, its override; then the buckets to show. All are of one limit
-- ARGV      how long before its time a token may be reserved (µs); then the names of the buckets
-- Returns   {REPLY_OK, what the limit is ('' if that is not known), fields and values of its override, number of buckets in use, number
--           of those that are paused, and for each of the buckets that is in use: name, the time (µs) at which the next token comes by
--           the numbers in force, which may be over, until when it is paused (µs; 0: not paused)}
-- @include rate_buckets
local behind_now = string.format('(%.0f', now)
local info = call('GET', KEYS[1]) or ''
local override = call('HMGET', KEYS[4], 'interval', 'burst')
local reply = {
  REPLY_OK,
  info,
  call('HGETALL', KEYS[4]),
  call('ZCOUNT', KEYS[2], behind_now, '+inf'),
  call('ZCOUNT', KEYS[3], behind_now, '+inf')
}
-- Nobody has used the limit within a day if that is not known. Its buckets are as their numbers say, then.
local set_interval, set_burst = string.match(info, '^(%d+) (%d+)')
set_interval, set_burst = tonumber(set_interval or override[1]), tonumber(set_burst or override[2])
local interval, burst = tonumber(override[1]) or set_interval, tonumber(override[2]) or set_burst
for i = 5, interval and #KEYS or 0 do
  local name, written = ARGV[i - 3], call('GET', KEYS[i]) or '0'
  if tonumber(written) > now then
    local arrival = read_arrival(written, set_interval, set_burst, interval, burst, tonumber(ARGV[1]), KEYS[3], name)
    local paused_until = tonumber(call('ZSCORE', KEYS[3], name) or 0)
    reply[#reply + 1] = name
    reply[#reply + 1] = arrival - (burst - 1) * interval
    reply[#reply + 1] = paused_until > now and paused_until or 0
  end
end
return reply
