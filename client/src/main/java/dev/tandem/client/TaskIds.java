package dev.tandem.client;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ids of tasks that were given none: a random number of 64 bits for each client, and a count. They cost no random number
 * for each task, and take some 15 bytes of its headers. Thread-safe.
 *
 * <p>A submission keeps the number and not the text, since most ids are never asked for once their tasks are sent.
 */
final class TaskIds {

    /** Of a number in base 32, which needs no divisions. */
    private static final byte[] DIGITS = "0123456789abcdefghijklmnopqrstuv".getBytes(StandardCharsets.ISO_8859_1);

    private static final int BITS = 5;
    private static final int MASK = (1 << BITS) - 1;

    private final byte[] prefix = (Long.toUnsignedString(new SecureRandom().nextLong(), Character.MAX_RADIX) + "-")
            .getBytes(StandardCharsets.ISO_8859_1);
    private final AtomicLong count = new AtomicLong();

    /** Returns the number of the next task, 1 or more. */
    long next() {
        return count.incrementAndGet();
    }

    /** Returns the id of the task with this number. */
    String id(long number) {
        int digits = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(number) + BITS - 1) / BITS);
        byte[] id = new byte[prefix.length + digits];
        System.arraycopy(prefix, 0, id, 0, prefix.length);
        long rest = number;
        for (int i = id.length - 1; i >= prefix.length; i--) {
            id[i] = DIGITS[(int) (rest & MASK)];
            rest >>>= BITS;
        }
        return new String(id, StandardCharsets.ISO_8859_1);
    }
}
