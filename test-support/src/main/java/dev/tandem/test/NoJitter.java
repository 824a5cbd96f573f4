package dev.tandem.test;

import java.util.random.RandomGenerator;

/** Always the middle of the range: so delays between attempts are what the backoff says, without jitter. */
enum NoJitter implements RandomGenerator {
    INSTANCE;

    /** The upper half begins here, whatever number is made of these bits. */
    private static final long MIDDLE = 1L << 63;

    @Override
    public long nextLong() {
        return MIDDLE;
    }
}
