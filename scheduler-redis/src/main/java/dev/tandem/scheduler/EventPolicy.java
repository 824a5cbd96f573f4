package dev.tandem.scheduler;

import dev.tandem.task.event.EventKind;
import java.util.Set;

/**
 * The rule by which events of a queue are recorded, and how many may wait until they are published.
 *
 * @param maxBytes of a partition's events that wait
 * @param waits whether no fresh tasks start while so many wait. Otherwise the oldest are dropped
 */
public record EventPolicy(Set<EventKind> kinds, long maxBytes, boolean waits) {

    public EventPolicy {
        kinds = Set.copyOf(kinds);
        if (maxBytes <= 0) {
            throw new IllegalArgumentException("Events need room, but max-bytes is " + maxBytes);
        }
    }

    /** The bytes of a partition's events that are kept while Redis has no room for more tasks. */
    static final long WITHOUT_ROOM_BYTES = 64 << 10;

    /**
     * Returns what scripts keep to: {@code include/event_pages.lua}.
     *
     * @param room whether Redis has room for more tasks
     */
    String text(boolean room) {
        StringBuilder text = new StringBuilder().append(limit(room)).append(' ');
        kinds.forEach(kind -> text.append(kind.letter()));
        return text.toString();
    }

    /**
     * Returns how many bytes the store keeps. A queue that waits still records what runs, and what becomes of tasks that the store
     * has, so it needs more room; but that has a bound too. Otherwise events do not take the room of tasks.
     *
     * @param room whether Redis has room for more tasks
     */
    long limit(boolean room) {
        if (waits) {
            return 2 * maxBytes;
        }
        return room ? maxBytes : Math.min(maxBytes, WITHOUT_ROOM_BYTES);
    }
}
