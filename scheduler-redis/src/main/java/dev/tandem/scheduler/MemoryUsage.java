package dev.tandem.scheduler;

import java.util.Map;

/**
 * The memory of a Redis, in bytes.
 *
 * @param used as Redis compares it with its limit
 * @param limit {@code maxmemory}; 0: none
 */
record MemoryUsage(long used, long limit) {

    /** How much of the room must be free again before more tasks are taken, so that it does not begin and end all the time. */
    private static final double FREE_AGAIN = 0.02;

    private static final double SPARE = 0.75;

    private static final long LEAST_WRITABLE = 64 << 10;

    static MemoryUsage of(String info) {
        Map<String, String> facts = RedisPreflight.facts(info);
        long used = number(facts, "used_memory") - number(facts, "mem_not_counted_for_evict");
        return new MemoryUsage(used, number(facts, "maxmemory"));
    }

    private static long number(Map<String, String> facts, String name) {
        return Long.parseLong(facts.getOrDefault(name, "0"));
    }

    /**
     * Whether there is room for more tasks.
     *
     * @param headroom the share of the memory that is kept for outcomes
     * @param before whether there was room before
     */
    boolean hasRoom(double headroom, boolean before) {
        double usable = limit * (1 - headroom);
        return limit <= 0 || used <= (before ? usable : usable * (1 - FREE_AGAIN));
    }

    /**
     * How many bytes of envelopes may be written before memory must be looked at again: an eighth of the room that is left,
     * since other processes write too.
     */
    long writable(double headroom) {
        long left = (long) (limit * (1 - headroom)) - used;
        return limit <= 0 ? Long.MAX_VALUE : Math.max(LEAST_WRITABLE, left / 8);
    }

    /** Whether more than half of the room is used, so that a burst may take the rest within a second. */
    boolean isFilling(double headroom) {
        return limit > 0 && used > limit * (1 - headroom) / 2;
    }

    /** Whether at most three quarters of the room are used, so that there is some for what is not needed to run tasks. */
    boolean hasSpareRoom(double headroom) {
        return limit <= 0 || used <= limit * (1 - headroom) * SPARE;
    }

    /** Describes memory without room, its effect and its remedy. */
    @Override
    public String toString() {
        return "there is no room for more tasks: " + Math.round(used * 100.0 / limit) + " % of the memory is used ("
                + used + " bytes, maxmemory is " + limit
                + "). Outcomes are still recorded, and the tasks in Redis go on. Fresh tasks, delayed tasks and tasks"
                + " behind a blocked key wait in their broker. Raise maxmemory, or delete dead tasks";
    }
}
