-- Lanes: the parked positions of each blocked key, in order. All lanes share one sorted set of equal scores, so that
-- one declared key holds them. A member is the key's length (4 bytes), the key, a sequence number (8 bytes), the
-- position, so that the members of a lane lie together, in order.
-- Requires: partition_keys.
-- Provides: lane_size, lane_pop, lane_numbers, front_number, lane_member, in_lane.

local function lane_prefix(key)
  return pack('>I4', #key) .. key
end

local function lane_size(key)
  local prefix = lane_prefix(key)
  return call('ZLEXCOUNT', LANES, '[' .. prefix, '(' .. prefix .. '\255')
end

-- Takes the first position out of a key's lane whose task is still there. Returns nil if there is none.
local function lane_pop(key)
  local prefix = lane_prefix(key)
  while true do
    local member = call('ZRANGEBYLEX', LANES, '[' .. prefix, '(' .. prefix .. '\255', 'LIMIT', 0, 1)[1]
    if not member then
      return nil
    end
    local position = sub(member, #prefix + 9)
    call('ZREM', LANES, member)
    if call('HEXISTS', TASKS, position) == 1 then
      return position
    end
  end
end

-- Reserves `count` sequence numbers for new members at the end. Returns the one before the first.
local function lane_numbers(count)
  return MIDDLE_SEQUENCE + call('HINCRBY', OWNER, 'sequence', count) - count
end

-- Returns a sequence number before all others.
local function front_number()
  return MIDDLE_SEQUENCE - call('HINCRBY', OWNER, 'front', 1)
end

local function lane_member(key, number, position)
  return lane_prefix(key) .. pack('>I8', number) .. position
end

-- Returns the member of a position in its key's lane, nil if it is not there. Walks the lane from its front, where it
-- mostly is: for rare uses only.
local function in_lane(key, position)
  local prefix = key and lane_prefix(key)
  local from = key and '[' .. prefix
  while from do
    local members = call('ZRANGEBYLEX', LANES, from, '(' .. prefix .. '\255', 'LIMIT', 0, 1000)
    for _, member in ipairs(members) do
      if sub(member, #prefix + 9) == position then
        return member
      end
    end
    from = #members == 1000 and '(' .. members[1000] or nil
  end
  return nil
end
