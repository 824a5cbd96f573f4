package dev.tandem.server.doctor;

import dev.tandem.server.findings.Finding;
import dev.tandem.server.inspect.UnavailableException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Has one exam made at a time. Whoever asks within two seconds gets the findings of the last one, so that nobody can have the
 * brokers asked all the time. Thread-safe.
 */
public final class SharedDoctor implements Doctor {

    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How many may wait at once. Each of them holds a thread of the server. */
    static final int MOST_WAITING = 8;

    private final Doctor doctor;
    private final LongSupplier clock;
    private final ReentrantLock lock = new ReentrantLock();
    private List<Finding> last = List.of();
    private long freshUntil;

    /** @param clock as {@link System#nanoTime} */
    public SharedDoctor(Doctor doctor, LongSupplier clock) {
        this.doctor = doctor;
        this.clock = clock;
    }

    /** @throws UnavailableException if too many wait already */
    @Override
    public List<Finding> findings() {
        if (lock.getQueueLength() >= MOST_WAITING) {
            throw new UnavailableException(MOST_WAITING
                    + " requests wait for an exam of Redis and the brokers already: ask again in some seconds");
        }
        lock.lock();
        try {
            if (last.isEmpty() || clock.getAsLong() - freshUntil > 0) {
                last = doctor.findings();
                freshUntil = clock.getAsLong() + FRESH_NANOS;
            }
            return last;
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many wait, for tests. */
    int waiting() {
        return lock.getQueueLength();
    }
}
