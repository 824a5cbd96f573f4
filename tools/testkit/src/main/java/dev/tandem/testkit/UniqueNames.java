package dev.tandem.testkit;

import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/** Names that no other test, and no earlier run, has used. */
public final class UniqueNames {

    private static final int LENGTH = 7;

    private UniqueNames() {}

    /**
     * Returns the prefix with a random suffix of lower-case letters and digits, which suits a queue, a topic and a
     * group.
     */
    public static String fresh(String prefix) {
        long bound = (long) Math.pow(Character.MAX_RADIX, LENGTH);
        long number = ThreadLocalRandom.current().nextLong(bound / Character.MAX_RADIX, bound);
        return prefix + "-" + Long.toString(number, Character.MAX_RADIX).toLowerCase(Locale.ROOT);
    }
}
