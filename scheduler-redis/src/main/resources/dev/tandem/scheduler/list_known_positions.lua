-- Lists what a message queue's partition knows that a redelivery could be, a page at a time. Changes nothing; no epoch, no
-- number. Other requests may come between two pages. So the sections are read in the order in which a position goes
-- through them: what is known from the first page to the last is in one of them. It may be in several; the reader lists it
-- once: as awaiting redelivery if it was read as that, since that is final; else as claimed; else as lapsed.
--
-- KEYS      the partition's, see include/partition_keys
-- ARGV 1    section to go on in; 1: the first
-- ARGV 2    cursor to go on at; '0': the start
-- Returns   {REPLY_OK, run id, 1 if the list is complete (0: Redis restarted, and since then no owner acquired the
--           partition, or one did within the last lease), page, see include/pages}. The sections:
--             1  claims without an envelope: position, 1 if its executor is not the owner, remaining ms
--             2  lapses of positions without an envelope, claimed or not: position, count
--             3  positions that await redelivery: position, since when
--             4  elements of identity pages, from the end of the list, where they are added; each page's in order
--             5  positions that were given up to other partitions: position, asker
-- @include partition_keys
-- @include clock
-- @include batched_commands
-- @include claim_record
-- @include covered_claims
-- @include next_times
-- @include pages
local fields = call('HMGET', OWNER, 'executor', 'run', 'quiet')
local owner, stored_run_id, quiet_until = fields[1], fields[2], fields[3]
local current_run_id = run_id()

local function has_no_envelope(position)
  return call('HEXISTS', TASKS, position) == 0
end

local function claims(out, cursor, count)
  local found = {}
  local next_cursor, looked_at = scan(found, 'HSCAN', CLAIMS, cursor, count)
  for i = 1, #found, 2 do
    local position, claim = found[i], found[i + 1]
    if position ~= '' and has_no_envelope(position) then
      local n = #out
      out[n + 1], out[n + 2] = position, claimant_of(claim) ~= owner and 1 or 0
      out[n + 3] = lease_of(position, claim) - now
    end
  end
  return next_cursor, looked_at
end

-- The cursor counts the elements at the end that were read. They are longer than the entries of the other sections.
local function identity_pages(out, cursor, count)
  local read, most = tonumber(cursor), math.ceil(count / 16)
  local elements = call('LRANGE', PAGES, -read - most, -read - 1)
  for i = 1, #elements do
    out[i] = elements[i]
  end
  return #elements < most and '0' or format('%.0f', read + most), #elements * 16
end

local function read_section(section, out, cursor, count)
  if section == 1 then
    return claims(out, cursor, count)
  elseif section == 2 then
    return scan(out, 'HSCAN', ATTEMPTS, cursor, count, has_no_envelope)
  elseif section == 3 then
    return scan(out, 'ZSCAN', OWED, cursor, count, is_remembered)
  elseif section == 4 then
    return identity_pages(out, cursor, count)
  end
  return scan(out, 'HSCAN', GIVEN, cursor, count)
end

local complete = not owner or (stored_run_id == current_run_id and now >= tonumber(quiet_until or '0'))
return {REPLY_OK, current_run_id, complete and 1 or 0, read_sections(5, read_section, tonumber(ARGV[1]), ARGV[2])}
