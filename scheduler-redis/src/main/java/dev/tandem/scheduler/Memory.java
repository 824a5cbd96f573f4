package dev.tandem.scheduler;

import java.util.Map;

/**
 * How much memory a Redis has.
 *
 * @param limit {@code maxmemory}, 0: none
 */
record Memory(long used, long limit) {

    static Memory of(String info) {
        Map<String, String> facts = RedisPreflight.facts(info);
        return new Memory(number(facts, "used_memory"), number(facts, "maxmemory"));
    }

    private static long number(Map<String, String> facts, String name) {
        return Long.parseLong(facts.getOrDefault(name, "0"));
    }

    boolean isFull() {
        return limit > 0 && used > limit;
    }

    /** What to do when it is full. */
    @Override
    public String toString() {
        return "memory is full: " + used + " bytes are used, maxmemory is " + limit
                + ". Outcomes are recorded, but delayed tasks, those behind a blocked key and long runs stay with their"
                + " broker until there is room: raise maxmemory, or delete dead tasks";
    }
}
