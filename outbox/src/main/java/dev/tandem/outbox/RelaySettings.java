package dev.tandem.outbox;

import java.time.Duration;

/**
 * How a relay works.
 *
 * @param lease for how long a relay has its buckets unless it renews them, 1 s or more: after a crash the others wait for
 *     as long. It must exceed the longest pause that a relay may have without being taken for dead
 * @param batch the most rows of one read, 1 or more
 * @param whenRefused what becomes of a key of which a task can never be published
 * @param grace for how long a task is tried again that the clients of relays cannot publish, 0 or more: clients differ while
 *     a new version of an application is rolled out. Then it is set aside
 */
public record RelaySettings(Duration lease, int batch, WhenRefused whenRefused, Duration grace) {

    private static final Duration DEFAULT_GRACE = Duration.ofMinutes(10);

    /** A lease of 10 s, 1,000 rows in a read, keys that are halted, and a grace of 10 minutes. */
    public static final RelaySettings DEFAULT = new RelaySettings(Duration.ofSeconds(10), 1_000, WhenRefused.HALT);

    /** The rule for the later tasks of a key when one can never be published. A task without a key holds up nothing. */
    public enum WhenRefused {
        /** Later tasks wait until somebody deletes the row, or mends it and sets its {@code refused_at} to null. */
        HALT,
        /** Later tasks are published without it. */
        SKIP
    }

    public RelaySettings {
        if (lease.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException("The lease is " + lease + ", it must be 1 s or more");
        }
        if (batch < 1) {
            throw new IllegalArgumentException("The batch is " + batch + ", it must be 1 or more");
        }
        if (grace.isNegative()) {
            throw new IllegalArgumentException("The grace is " + grace + ", it must be 0 or more");
        }
    }

    /** Settings with a grace of 10 minutes. */
    public RelaySettings(Duration lease, int batch, WhenRefused whenRefused) {
        this(lease, batch, whenRefused, DEFAULT_GRACE);
    }

    public RelaySettings withLease(Duration value) {
        return new RelaySettings(value, batch, whenRefused, grace);
    }

    public RelaySettings withBatch(int value) {
        return new RelaySettings(lease, value, whenRefused, grace);
    }

    public RelaySettings withWhenRefused(WhenRefused value) {
        return new RelaySettings(lease, batch, value, grace);
    }

    public RelaySettings withGrace(Duration value) {
        return new RelaySettings(lease, batch, whenRefused, value);
    }
}
