package dev.tandem.rabbit;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the events that are missing in front of others, by the numbers that they have in their partitions. A copy of an earlier
 * event may come at any time. If Redis forgets, numbers begin anew; such events were recorded later than those before. Used by one
 * thread.
 */
final class EventGaps {

    /** The partitions that are remembered, of all queues. Nothing is missed of others, so their gaps are not seen. */
    private static final int MAX_PARTITIONS = 100_000;

    private record Last(long number, Instant recordedAt) {}

    private final Map<String, Last> lasts = new HashMap<>();

    /** Returns how many events are missing between the last one of its partition and this one. */
    long before(Map<String, String> attributes) {
        String id = attributes.getOrDefault("id", "");
        String partition = attributes.get("source") + "/" + id.substring(0, Math.max(0, id.indexOf('/')));
        Last its;
        try {
            its = new Last(
                    Long.parseLong(attributes.getOrDefault("sequence", "")),
                    Instant.parse(attributes.getOrDefault("time", "")));
        } catch (NumberFormatException | DateTimeException e) {
            return 0; // It is no event of Tandem, which is found out later.
        }
        Last last = lasts.get(partition);
        if (last == null && lasts.size() >= MAX_PARTITIONS) {
            return 0;
        } else if (last != null
                && its.number() <= last.number()
                && !its.recordedAt().isAfter(last.recordedAt())) {
            return 0;
        }
        lasts.put(partition, its);
        return last == null ? 0 : Math.max(0, its.number() - last.number() - 1);
    }
}
