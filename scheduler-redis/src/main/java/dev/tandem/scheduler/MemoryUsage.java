package dev.tandem.scheduler;

import java.util.Map;

/**
 * The memory of a Redis, in bytes.
 *
 * @param limit {@code maxmemory}; 0: none
 */
record MemoryUsage(long used, long limit) {

    static MemoryUsage of(String info) {
        Map<String, String> facts = RedisPreflight.facts(info);
        return new MemoryUsage(number(facts, "used_memory"), number(facts, "maxmemory"));
    }

    private static long number(Map<String, String> facts, String name) {
        return Long.parseLong(facts.getOrDefault(name, "0"));
    }

    boolean isFull() {
        return limit > 0 && used > limit;
    }

    /** Describes full memory, its effect and its remedy. */
    @Override
    public String toString() {
        return "memory is full: " + used + " bytes are used, maxmemory is " + limit
                + ". Outcomes are still recorded, but Redis takes custody of no more tasks: delayed tasks, tasks behind"
                + " a blocked key and long runs stay with their broker. Raise maxmemory, or delete dead tasks";
    }
}
