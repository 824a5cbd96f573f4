package dev.tandem.ordering;

import java.util.PriorityQueue;

/** Planned events by time, in milliseconds; those of one moment in the order in which they were planned. */
final class Timeline {

    private record Event(long at, long order, Runnable what) {}

    private final PriorityQueue<Event> events =
            new PriorityQueue<>((a, b) -> a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.order, b.order));
    private long planned;
    private long now;

    Timeline(long now) {
        this.now = now;
    }

    long now() {
        return now;
    }

    void at(long time, Runnable what) {
        events.add(new Event(Math.max(now, time), planned++, what));
    }

    void in(long millis, Runnable what) {
        at(now + millis, what);
    }

    /** Moves to the next event and runs it. @return false if there is none */
    boolean step() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        now = next.at;
        next.what.run();
        return true;
    }
}
