-- Puts tasks that die into groups. dev.tandem.task.ErrorFingerprint is the Java side: it says what the errors of a group
-- have in common, and a test compares the two.
-- Requires: partition_keys, clock, batched_commands, envelope, envelope_errors, blocked_keys, dead_groups.
-- Provides: groups.join.

-- What operators and the last attempt put before an error.
groups.notes = {'^attempt [0-9]+ of [0-9]+ was the last: ()', '^skipped by an operator, after: ()',
  '^drained by an operator, after: ()', '^skipped by an operator before its next attempt, after: ()',
  '^drained by an operator before its next attempt, after: ()'}
groups.fingerprints = {} -- type and line -> fingerprint, and what is shown
groups.uuid = '%x%x%x%x%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x'

function groups.without_notes(line)
  local found = 1
  while found <= #groups.notes do
    local behind = string.match(line, groups.notes[found])
    line, found = behind and sub(line, behind) or line, behind and 1 or found + 1
  end
  return line
end

-- Returns the name of the class that begins an error, and the rest; '' and all if there is none.
function groups.class_and_rest(line)
  local name, rest = string.match(line, '^([A-Za-z_$][0-9A-Za-z_$.]*)(.*)$')
  if name and (rest == '' or byte(rest) == 58) and string.find(string.match(name, '[^.]*$'), '^[A-Z]')
      and (string.find(name, '.', 1, true) or string.find(name, 'Exception$') or string.find(name, 'Error$')) then
    return name, rest
  end
  return '', line
end

-- Replaces what differs from task to task: what is quoted, and words with digits, but not the code behind one of the words
-- status, code and HTTP.
function groups.in_common(text)
  text = ' ' .. text
  if string.find(text, '"', 1, true) then
    text = string.gsub(text, '"[^"]*"', '\1')
    text = string.gsub(text, '"[^"]*$', '\1')
  end
  if string.find(text, "'", 1, true) then
    text = string.gsub(text, "([^0-9A-Za-z])'[^']*'", '%1\1')
  end
  if string.find(text, '-', 1, true) then
    text = string.gsub(text, groups.uuid, '#')
  end
  local before = text
  text = string.gsub(text, '%f[0-9A-Za-z]()([A-Za-z]*[0-9][0-9A-Za-z]*)', function(at, word)
    local lead = sub(before, math.max(1, at - 7), at - 1)
    local is_code = #word <= 3 and not string.find(word, '[^0-9]')
      and (string.find(lead, 'status $') or string.find(lead, 'code $') or string.find(lead, 'HTTP $'))
    return not is_code and '#' or nil
  end)
  return (string.gsub(text, '#[-.:,+/ #_]*#', '#'))
end

-- Returns the fingerprint of a type and an error ('': none), and the first line of the error. Tasks that die at once often
-- have the same one.
function groups.fingerprint(kind, error)
  local line = groups.without_notes(string.match(error, '^[^\r\n]*'))
  local known = groups.fingerprints[kind .. '\n' .. line]
  if known then
    return known[1], known[2]
  end
  local class, rest = groups.class_and_rest(sub(line, 1, MAX_COMPARED_ERROR))
  local common = sub(class .. groups.in_common(rest), 1, MAX_COMMON_ERROR)
  local to = MAX_SHOWN_ERROR
  while to > 0 and (byte(line, to + 1) or 0) >= 128 and byte(line, to + 1) < 192 do
    to = to - 1 -- Not in the middle of a character.
  end
  local fingerprint, shown = sub(redis.sha1hex(kind .. '\n' .. common), 1, FINGERPRINT_LENGTH), sub(line, 1, to)
  groups.fingerprints[kind .. '\n' .. line] = {fingerprint, shown}
  return fingerprint, shown
end

-- Puts a task that dies into the group of its type and error, or into that of all others if there are too many.
function groups.join(position, envelope)
  local flags, from, after, kind = byte(envelope, 2), 1, 3, ''
  if flags % 2 == 1 then
    after = 11
  end
  if flags % 4 >= 2 then
    from, after = envelope_text(envelope, after)
  end
  if flags % 8 >= 4 then
    from, after = envelope_text(envelope, after)
    kind = sub(envelope, from, after - 1)
  end
  local group, error = groups.fingerprint(kind, envelope_error(envelope))
  if not groups.record(group) and (groups.exist and call('HLEN', KEYS[28]) or 0) + groups.added >= MAX_DEAD_GROUPS then
    group, kind, error = OTHER_DEAD_GROUP, '', ''
  end
  local record = groups.record(group)
  if not record then
    record = {count = 0, halting = 0, first = format('%.0f', now)}
    groups.records[group], groups.added = record, groups.added + 1
  end
  record.count, record.last, record.type, record.error = record.count + 1, format('%.0f', now), kind, error
  groups.changed[group] = record
  groups.joined[position] = group
  groups.written[#groups.written + 1] = position
  groups.written[#groups.written + 1] = group
end
