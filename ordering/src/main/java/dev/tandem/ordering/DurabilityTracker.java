package dev.tandem.ordering;

import java.util.ArrayDeque;

/** Which answered requests are durable: those that a probe, sent a horizon later, found still there. */
final class DurabilityTracker {

    private record Answered(long number, long at) {}

    private final long horizonMillis;
    private final ArrayDeque<Answered> waiting = new ArrayDeque<>();

    DurabilityTracker(long horizonMillis) {
        this.horizonMillis = horizonMillis;
    }

    /** A request that moved custody was answered. */
    void answered(long number, long now) {
        waiting.addLast(new Answered(number, now));
    }

    boolean waiting() {
        return !waiting.isEmpty();
    }

    /** When a probe could first prove something; {@link Long#MAX_VALUE} if nothing waits. */
    long probeAt() {
        return waiting.isEmpty() ? Long.MAX_VALUE : waiting.getFirst().at() + horizonMillis;
    }

    /** A probe sent then was answered. Returns the highest number that it proves, 0 if none. */
    long proven(long probeSentAt) {
        long highest = 0;
        while (!waiting.isEmpty() && waiting.getFirst().at() + horizonMillis <= probeSentAt) {
            highest = waiting.removeFirst().number();
        }
        return highest;
    }

    void clear() {
        waiting.clear();
    }
}
