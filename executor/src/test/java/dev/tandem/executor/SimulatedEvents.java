package dev.tandem.executor;

import java.util.Comparator;
import java.util.PriorityQueue;

/** Events of a simulation that are still to come: those of one time in the order in which they were caused. */
final class SimulatedEvents {

    private record Event(long at, long order, Runnable action) {}

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private long order;

    void add(long at, Runnable action) {
        events.add(new Event(at, order++, action));
    }

    /** Runs all that are due, and those that they cause at once. */
    void run(long now) {
        for (Event next = events.peek(); next != null && next.at() <= now; next = events.peek()) {
            events.remove().action().run();
        }
    }
}
