-- Lanes: the parked positions of each blocked key, in order. All lanes share one sorted set of equal scores, so that
-- one declared key holds them. A member is the key's length (4 bytes), the key, a sequence number (8 bytes), the
-- position, so that the members of a lane lie together, in order.
-- Requires: partition_keys.
-- Provides: lane_prefix, lane_size, lane_pop, lane_numbers, front_number, lane_member, key_of_member, search_lane, in_lane.

local function lane_prefix(key)
  return pack('>I4', #key) .. key
end

local function lane_size(key)
  local prefix = lane_prefix(key)
  return call('ZLEXCOUNT', LANES, '[' .. prefix, '(' .. prefix .. '\255')
end

-- Takes the first position out of a key's lane whose task is still there and not claimed. (An acquire may have claimed it
-- where it was.) Returns nil if there is none.
local function lane_pop(key)
  local prefix = lane_prefix(key)
  for _ = 1, MAX_GONE_IN_LANE do
    local member = call('ZRANGEBYLEX', LANES, '[' .. prefix, '(' .. prefix .. '\255', 'LIMIT', 0, 1)[1]
    if not member then
      return nil
    end
    local position = sub(member, #prefix + 9)
    call('ZREM', LANES, member)
    if call('HEXISTS', TASKS, position) == 1 and call('HEXISTS', CLAIMS, position) == 0 then
      return position
    end
  end
  return nil
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

local function key_of_member(member)
  return sub(member, 5, 4 + unpack_one('>I4', member))
end

-- Searches a key's lane for a position, behind the member `after` ('': from the front). Returns its member; or nil, and
-- the member to go on behind, nil at the lane's end.
local function search_lane(key, position, after, slices)
  local prefix = lane_prefix(key)
  local from = sub(after, 1, #prefix) == prefix and '(' .. after or '[' .. prefix
  for _ = 1, slices do
    local members = call('ZRANGEBYLEX', LANES, from, '(' .. prefix .. '\255', 'LIMIT', 0, LANE_SLICE)
    for i = 1, #members do
      if sub(members[i], #prefix + 9) == position then
        return members[i]
      end
    end
    if #members < LANE_SLICE then
      return nil
    end
    from = '(' .. members[#members]
  end
  return nil, sub(from, 2)
end

-- Returns the member of a position among the first of its key's lane; or nil, and where the search would go on, nil at
-- the lane's end.
local function in_lane(key, position)
  return search_lane(key, position, '', SEARCHED_SLICES)
end
