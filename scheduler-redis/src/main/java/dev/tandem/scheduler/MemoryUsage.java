package dev.tandem.scheduler;

import dev.tandem.task.store.StoreRoom;
import java.util.Map;

/**
 * The memory of a Redis, in bytes.
 *
 * @param used as Redis compares it with its limit
 * @param limit {@code maxmemory}; 0: none
 */
record MemoryUsage(long used, long limit) {

    /**
     * How much of the room must be free again before more tasks are taken, at the end of the room and at its half, so that it does
     * not begin and end all the time.
     */
    private static final double FREE_AGAIN = 0.02;

    private static final double HALF = 0.5;

    private static final double FILLING = 0.25;

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
     * Returns how much room there is for more tasks.
     *
     * @param headroom the share of the memory that is kept for outcomes
     * @param before how much there was before
     */
    StoreRoom room(double headroom, StoreRoom before) {
        if (!isWithin(1, headroom, before.isLeft())) {
            return StoreRoom.NONE;
        }
        return isWithin(HALF, headroom, before.isHalfLeft()) ? StoreRoom.HALF : StoreRoom.SOME;
    }

    private boolean isWithin(double part, double headroom, boolean before) {
        return limit <= 0 || used <= limit * (1 - headroom) * (before ? part : part - FREE_AGAIN);
    }

    /**
     * How many bytes of envelopes may be written before memory must be looked at again: an eighth of what is left until the half
     * or the end of the room, since other processes write too. Close to the half it is an eightieth of the room.
     */
    long writable(double headroom, StoreRoom now) {
        if (limit <= 0) {
            return Long.MAX_VALUE;
        }
        double usable = limit * (1 - headroom);
        double left = now.isHalfLeft() ? Math.max(usable / 10, usable * HALF - used) : usable - used;
        return Math.max(LEAST_WRITABLE, (long) (left / 8));
    }

    /** Whether more than a quarter of the room is used, so that a burst may take half of it within a second. */
    boolean isFilling(double headroom) {
        return limit > 0 && used > limit * (1 - headroom) * FILLING;
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
