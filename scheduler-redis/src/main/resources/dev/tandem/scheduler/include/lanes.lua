-- The lanes of all keys are one sorted set of equal scores, so that one declared key holds them: a member is the key's
-- length (4 bytes), the key, a sequence number (8 bytes), the position. Members of one lane lie together, in order.
local function lane_prefix(key)
  return pack('>I4', #key) .. key
end

-- The first member of a key's lane and its position, or nil.
local function lane_first(key)
  local prefix = lane_prefix(key)
  local member = call('ZRANGEBYLEX', LANES, '[' .. prefix, '(' .. prefix .. '\255', 'LIMIT', 0, 1)[1]
  return member, member and sub(member, #prefix + 9)
end

local function lane_size(key)
  local prefix = lane_prefix(key)
  return call('ZLEXCOUNT', LANES, '[' .. prefix, '(' .. prefix .. '\255')
end

-- Takes the first position of a key's lane whose task is there; nil if there is none.
local function lane_pop(key)
  while true do
    local member, position = lane_first(key)
    if not member then
      return nil
    end
    call('ZREM', LANES, member)
    if call('HEXISTS', TASKS, position) == 1 then
      return position
    end
  end
end

-- `count` sequence numbers for new members; answers the one before the first. They begin in the middle of what a double
-- counts exactly, so that there is as much room in front.
local MIDDLE = 2 ^ 52
local function lane_numbers(count)
  return MIDDLE + call('HINCRBY', OWNER, 'sequence', count) - count
end

-- A number before all others.
local function front_number()
  return MIDDLE - call('HINCRBY', OWNER, 'front', 1)
end

local function lane_member(key, number, position)
  return lane_prefix(key) .. pack('>I8', number) .. position
end

-- The member of a position in its key's lane, wherever it is in it; nil if it is not. It walks the lane, so it is for what is rare.
local function in_lane(key, position)
  local prefix = key and lane_prefix(key)
  for _, member in ipairs(key and call('ZRANGEBYLEX', LANES, '[' .. prefix, '(' .. prefix .. '\255') or {}) do
    if sub(member, #prefix + 9) == position then
      return member
    end
  end
  return nil
end
