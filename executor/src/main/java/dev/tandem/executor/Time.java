package dev.tandem.executor;

/** Port: the two clocks of a process. Implementations are thread-safe. */
public interface Time {

    /** Elapsed time in nanoseconds since some moment before the process needed it; never goes back. */
    long nanos();

    /** Epoch milliseconds; may jump. */
    long wallMillis();

    /** {@link #nanos} in milliseconds: what leases and timeouts are measured by. */
    default long millis() {
        return nanos() / 1_000_000;
    }

    /** The machine's clocks. */
    static Time system() {
        return SystemTime.INSTANCE;
    }
}
