package dev.tandem.scheduler;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers how many replicas each Redis process was seen to have. A primary that is cut off loses sight of its replicas,
 * one of which may have been promoted, so the number never falls while the process lives. Thread-safe.
 */
final class KnownReplicas {

    private static final int MAX_PROCESSES = 1_000;

    private final Map<String, Integer> most = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > MAX_PROCESSES;
        }
    };

    /** Notes what was seen, and returns the most replicas that this process ever had. */
    synchronized int note(Replication seen) {
        return most.merge(seen.runId(), seen.replicas(), Math::max);
    }
}
