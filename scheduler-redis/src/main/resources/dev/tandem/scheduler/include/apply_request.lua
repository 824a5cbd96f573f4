-- Records that the request is applied.
-- Requires: partition_keys, fence.
-- Provides: apply_request.

-- Writes the request's number, the highest token so far, and further fields of the owner (name, value, ...). Begins
-- with a removal of nothing: after a removal Redis lets a script finish even when memory is full.
local function apply_request(highest_token, ...)
  call('HDEL', OWNER, '')
  local token = tonumber(highest_token) > tonumber(owner[OWNER_TOKEN]) and highest_token or owner[OWNER_TOKEN]
  call('HSET', OWNER, WRITER, ARGV[HEADER_NUMBER], 'token', token, ...)
end
