package dev.tandem.scheduler;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Which executors are alive, as Redis knew at the last {@linkplain Heartbeat heartbeat}. Thread-safe. */
public final class LiveExecutors {

    /**
     * Three heartbeats and a little: who was silent for longer is taken for dead, and its partitions are asked for. Well
     * before its leases are over, so that no time is lost then; until then they are refused.
     */
    private static final long SILENT_MILLIS = 8_000;

    private volatile List<Presence.Executor> known = List.of();

    void update(List<Presence.Executor> executors) {
        known = List.copyOf(executors);
    }

    /** The ids of all that Redis has not forgotten. */
    Set<String> ids() {
        return known.stream().map(Presence.Executor::id).collect(Collectors.toUnmodifiableSet());
    }

    /** The ids of those that have this queue and are not silent for long, measured from who was seen last: mostly us. */
    public Set<String> of(String queue) {
        List<Presence.Executor> now = known;
        long latest = now.stream().mapToLong(Presence.Executor::lastSeen).max().orElse(0);
        return now.stream()
                .filter(each -> each.lastSeen() >= latest - SILENT_MILLIS
                        && each.running().containsKey(queue))
                .map(Presence.Executor::id)
                .collect(Collectors.toUnmodifiableSet());
    }
}
