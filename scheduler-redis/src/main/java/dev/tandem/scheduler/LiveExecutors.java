package dev.tandem.scheduler;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The executors that were alive at the last {@linkplain Heartbeat heartbeat}. Thread-safe. */
final class LiveExecutors {

    /**
     * An executor that was silent for longer counts as dead, and others try to acquire its partitions. That is three
     * heartbeats, and well before its leases run out: until then the store refuses, afterwards no time is lost.
     */
    private static final long SILENT_MILLIS = 8_000;

    private volatile List<Presence.Executor> known = List.of();

    void update(List<Presence.Executor> executors) {
        known = List.copyOf(executors);
    }

    /** Returns the ids of all executors that Redis has not forgotten. */
    Set<String> ids() {
        return known.stream().map(Presence.Executor::id).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Returns the ids of the live executors that take their share of a queue. How long one was silent is measured from the
     * time at which any executor was last seen.
     */
    Set<String> of(String queue) {
        List<Presence.Executor> executors = known;
        long latest =
                executors.stream().mapToLong(Presence.Executor::lastSeen).max().orElse(0);
        return executors.stream()
                .filter(each -> each.lastSeen() >= latest - SILENT_MILLIS
                        && each.running().containsKey(queue))
                .map(Presence.Executor::id)
                .collect(Collectors.toUnmodifiableSet());
    }
}
