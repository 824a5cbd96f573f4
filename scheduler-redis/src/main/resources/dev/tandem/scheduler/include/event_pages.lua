-- Records events with the outcomes that they tell of: a page for each request that settles some. EventPage is the Java side.
-- The list `events` is the last key of a script, and is declared only if its queue has events. An element is the number of the
-- page's first event (8 bytes), when it was written (8 bytes, µs), and a page of the form in include/success_pages. Two fields of
-- `owner` have the number of the next event, and the bytes of the list.
-- Requires: partition_keys, clock, success_pages, event_drops.
-- Provides: events.append_page, events.append.

-- `events` is also a list of the records that a script makes itself, see include/event_records. Its field `policy` is what the queue's events have to
-- keep to: bytes beyond which the oldest pages go, a blank, and the letters of the kinds that are told. Nil or '': there are none.

function events.append_page(page)
  local list, limit = KEYS[#KEYS], tonumber(string.match(events.policy, '^%d+'))
  local before = call('HMGET', OWNER, EVENTS_FIELD, EVENT_BYTES_FIELD)
  local number, bytes = tonumber(before[1] or '0'), tonumber(before[2] or '0') + EVENT_HEAD_BYTES + #page
  call('RPUSH', list, pack('>I8I8', number, micros) .. page)
  bytes = events.drop(list, bytes, limit)
  call('HSET', OWNER, EVENTS_FIELD, format('%.0f', number + unpack_one('>I2', page, 2)), EVENT_BYTES_FIELD,
    format('%.0f', bytes))
end

-- page: '' or nil if the program has nothing to tell; left_out: positions whose outcomes this request did not record.
function events.append(page, left_out)
  if page and page ~= '' and next(left_out) then
    page = page_without(page, left_out)
  end
  if page and page ~= '' then
    events.append_page(page)
  end
  if events[1] then
    events.append_page('\1' .. pack('>I2', #events) .. '\0' .. table.concat(events))
  end
end
