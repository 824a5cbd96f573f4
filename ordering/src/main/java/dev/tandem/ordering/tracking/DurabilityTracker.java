package dev.tandem.ordering.tracking;

import java.util.ArrayDeque;

/** Which answered requests are durable: those that a probe, sent a horizon later, found still there. */
public final class DurabilityTracker {

    private record Answered(long number, long at) {}

    private final long horizonMillis;
    private final ArrayDeque<Answered> waiting = new ArrayDeque<>();

    /** @param horizonMillis for how long the store may forget what it answered; 0 if it never does */
    public DurabilityTracker(long horizonMillis) {
        this.horizonMillis = horizonMillis;
    }

    /** Notes the answer to a request that moved custody. */
    public void answered(long number, long now) {
        waiting.addLast(new Answered(number, now));
    }

    public boolean isWaiting() {
        return !waiting.isEmpty();
    }

    /** When a probe could first prove something; {@link Long#MAX_VALUE} if nothing waits. */
    public long probeAt() {
        return waiting.isEmpty() ? Long.MAX_VALUE : waiting.getFirst().at() + horizonMillis;
    }

    /** Notes that a probe was answered. Returns the highest number that it proves durable, 0 if none. */
    public long probed(long probeSentAt) {
        long highest = 0;
        while (!waiting.isEmpty() && waiting.getFirst().at() + horizonMillis <= probeSentAt) {
            highest = waiting.removeFirst().number();
        }
        return highest;
    }

    public void clear() {
        waiting.clear();
    }
}
