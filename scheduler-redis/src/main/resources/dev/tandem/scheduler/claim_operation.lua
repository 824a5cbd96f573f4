-- Claims an operation that nobody runs, the one that waits longest, so that this program runs it.
--
-- KEYS      see include/operation_keys
-- ARGV 1    program
-- ARGV 2    how long the claim holds, ms
-- Returns   {} if there is none; else {operation, when it began in µs, a blank, its definition; its progress ('': none), 1 if it
--           is to stop}
-- @include operation_keys
local name = call('ZRANGEBYSCORE', OPEN, '-inf', now_text, 'LIMIT', 0, 1)[1]
if not name then
  return {}
end
call('ZADD', OPEN, format('%.0f', now + ARGV[2]), name)
call('HSET', CLAIMS, name, ARGV[1])
return {name, call('HGET', DEFINITIONS, name), call('HGET', PROGRESS, name) or '', call('HEXISTS', STOPS, name)}
