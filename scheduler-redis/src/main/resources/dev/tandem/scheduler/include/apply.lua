-- The request is applied: its number, its highest token, and whatever else of the owner changes. Begins with a removal
-- (of nothing), so that Redis lets a script finish that frees memory or keeps a lease when memory is full.
local function apply(highest, ...)
  call('HDEL', OWNER, '')
  call('HSET', OWNER, WRITER, ARGV[2], 'token', tonumber(highest) > tonumber(owner[2]) and highest or owner[2], ...)
end
