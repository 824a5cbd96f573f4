package dev.tandem.executor;

import java.util.Comparator;
import java.util.PriorityQueue;

/** Runs actions at their times by a clock that stands still otherwise. Those of one time run in the order in which they were planned. */
final class ManualTimers implements FanOutCalls.Later {

    private record Event(long at, long number, Runnable action) {}

    private final ManualClock clock;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparing(Event::at).thenComparing(Event::number));
    private long planned;

    ManualTimers(ManualClock clock) {
        this.clock = clock;
    }

    @Override
    public void after(long millis, Runnable action) {
        events.add(new Event(clock.millis() + millis, planned++, action));
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    /** Runs the next action, at its time. */
    void runNext() {
        Event next = events.remove();
        clock.advance(Math.max(0, next.at() - clock.millis()));
        next.action().run();
    }

    /** Lets so much time pass. */
    void pass(long millis) {
        long until = clock.millis() + millis;
        while (!events.isEmpty() && events.element().at() <= until) {
            runNext();
        }
        clock.advance(until - clock.millis());
    }
}
