-- Makes records of events that only a script knows of: of tasks that end without a run. EventPage describes their form. The parts
-- that it shares with an envelope are copied.
-- Requires: partition_keys, envelope, envelope_errors, event_pages.
-- Provides: events.note.

-- kind: EVENT_DEAD or EVENT_CANCELLED. Nothing is noted if the queue's events leave it out.
function events.note(position, envelope, kind)
  if not events.policy or not string.find(events.policy, kind, 1, true) then
    return
  end
  local flags = byte(envelope, 2)
  local from, after, told = flags % 2 == 1 and 11 or 3, nil, floor(flags / 2) % 8 * 2
  after = from
  for flag = 1, 3 do
    if floor(told / 2 ^ flag) % 2 == 1 then
      local _, behind = envelope_text(envelope, after)
      after = behind
    end
  end
  local head, runs = sub(envelope, from, after - 1), ''
  if floor(flags / 64) % 2 == 1 then
    local at = starts_at(envelope)
    local _, behind = envelope_text(envelope, (envelope_text(envelope, at)))
    runs, told = sub(envelope, at, behind - 1), told + 64
  end
  local rest = string.char(#position) .. position .. kind .. string.char(told) .. head .. runs
  events[#events + 1] = pack('>I2', #rest) .. rest
end
