-- The request is applied: its number and its highest token. Begins with a removal (of nothing), so that Redis lets a
-- script finish that frees memory or keeps a lease when memory is full.
call('HDEL', WRITERS, '')
call('HSET', WRITERS, ARGV[1], ARGV[2])
if tonumber(ARGV[4]) > tonumber(owner[2]) then
  call('HSET', OWNER, 'token', ARGV[4])
end
