-- Looks for unsettled tasks of keys below an offset, for tasks of these keys that are in another partition by now. Delayed
-- tasks that have not begun do not count. Changes nothing.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    source id to which the offsets belong
-- ARGV 2    offset below which unsettled keys are listed; -1: none are
-- ARGV 3-   pairs of a key and an offset
-- Returns   {stored commit (-1: not known), for each pair LOOK_..., unsettled keys, 1 if these are all}
-- @include partition_keys
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include blocked_keys
local owner = call('HMGET', OWNER, 'source', 'incarnation', 'mirror')
local list_below = tonumber(ARGV[2])
local stored_commit = owner[1] == ARGV[1] and tonumber(owner[3] or '-1') or -1
local prefix = (owner[2] or '0') .. ':'

-- Returns the offset of a position. One of another incarnation is older than all.
local function offset_of(position)
  return sub(position, 1, #prefix) == prefix and tonumber(sub(position, #prefix + 1)) or -1
end

local claimed = {} -- key -> lowest offset of its claims
local claims = call('HGETALL', CLAIMS)
for i = 1, #claims, 2 do
  local key = claims[i] ~= '' and key_of(claims[i + 1])
  if key then
    local offset = offset_of(claims[i])
    claimed[key] = math.min(claimed[key] or offset, offset)
  end
end

local asked = {}
for i = 3, #ARGV, 2 do
  asked[#asked + 1] = ARGV[i]
end
local entries = keyed_entries(asked)

local function state_of(i)
  local key, below = asked[i], tonumber(ARGV[2 + 2 * i])
  if below > 0 and stored_commit < below then
    return LOOK_UNREAD
  end
  local entry = entries[i]
  local unsettled = claimed[key] and claimed[key] < below or entry and offset_of(head_of(entry)) < below
  return unsettled and LOOK_UNSETTLED or LOOK_CLEAR
end

local states = {}
for i = 1, #asked do
  states[i] = state_of(i)
end

-- Returns keys with unsettled tasks, and 1 if there are no others.
local function unsettled_keys()
  local listed, seen, all = {}, {}, 1
  local function add(key, offset)
    if offset < list_below and not seen[key] then
      seen[key] = true
      if #listed < MAX_LOOKED_BACK then
        listed[#listed + 1] = key
      else
        all = 0
      end
    end
  end
  for key, offset in pairs(claimed) do
    add(key, offset)
  end
  local cursor = '0'
  for _ = 1, MAX_LOOK_ROUNDS do
    local page = call('HSCAN', BLOCKED, cursor, 'COUNT', FEW_BLOCKED_KEYS)
    cursor = page[1]
    for i = 1, #page[2], 2 do
      add(page[2][i], offset_of(head_of(page[2][i + 1])))
    end
    if cursor == '0' or all == 0 then
      break
    end
  end
  return listed, cursor == '0' and all or 0
end

if list_below < 0 then
  return {stored_commit, states, {}, 0}
end
local listed, all = unsettled_keys()
return {stored_commit, states, listed, all}
