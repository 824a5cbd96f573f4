package dev.tandem.task;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that delivered tasks may take in a process, over all queues and partitions. Each holder of tasks has an
 * {@link Account}. Thread-safe.
 *
 * <p>It is divided by need, so that thousands of idle partitions cost nothing: a holder may have up to twice what is
 * free. So one busy holder gets two thirds, many share nearly all, and a newcomer finds some room. A holder without
 * tasks may take what fits. A task that is larger than the whole budget is taken once nothing else is held.
 */
public final class MemoryBudget {

    /** How many times what is free a holder may have. */
    private static final long TIMES_FREE = 2;

    private static final long SHARE_OF_HEAP = 4;

    private final long bytes;
    private final AtomicLong used = new AtomicLong();
    private final AtomicInteger readers = new AtomicInteger();

    private MemoryBudget(long bytes) {
        this.bytes = bytes;
    }

    /**
     * Returns a budget of so many bytes.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public static MemoryBudget ofBytes(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("The memory is " + bytes + " bytes, it must be 1 or more");
        }
        return new MemoryBudget(bytes);
    }

    /** Returns a budget of a quarter of the largest heap that this process may have. */
    public static MemoryBudget ofHeap() {
        return ofBytes(Math.max(1, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP));
    }

    /** Returns the whole budget in bytes. */
    public long bytes() {
        return bytes;
    }

    /** Returns how many bytes are held. */
    public long used() {
        return used.get();
    }

    /** Returns how many bytes are not held; 0 or more. */
    public long free() {
        return Math.max(0, bytes - used.get());
    }

    /** Returns how many bytes a holder may have at present; 0 if nothing is free. */
    public long bound() {
        return TIMES_FREE * free();
    }

    /** Counts one more source that fetches ahead what it has not delivered yet. */
    public void addReader() {
        readers.incrementAndGet();
    }

    public void removeReader() {
        readers.decrementAndGet();
    }

    /** Returns how many sources share what may be fetched ahead. */
    public int readers() {
        return readers.get();
    }

    /** Opens the account of another holder. */
    public Account account() {
        return new Account();
    }

    private boolean fits(long before, long own, long size) {
        long left = bytes - before - size;
        return before == 0 || left >= 0 && (own == 0 || own + size <= TIMES_FREE * left);
    }

    /** The bytes that one holder has taken. Thread-safe. */
    public final class Account {

        private long held;
        private boolean closed;

        private Account() {}

        /** Takes so many bytes, if they fit and the account is not closed. Returns whether it did. */
        public synchronized boolean tryTake(long size) {
            if (closed) {
                return false;
            }
            long before = used.getAndAdd(size);
            if (!fits(before, held, size)) {
                used.addAndGet(-size);
                return false;
            }
            held += size;
            return true;
        }

        /** Takes so many bytes, whether they fit or not. */
        public synchronized void take(long size) {
            hold(held + size);
        }

        /** Gives bytes back. */
        public synchronized void give(long size) {
            if (!closed) {
                held -= size;
                used.addAndGet(-size);
            }
        }

        /** Sets how many bytes are held, of a holder that learns only afterwards what it has got. */
        public synchronized void hold(long size) {
            if (!closed) {
                used.addAndGet(size - held);
                held = size;
            }
        }

        /** Returns how many bytes are held. */
        public synchronized long held() {
            return held;
        }

        /** Gives everything back, and takes nothing any more. May be called twice. */
        public synchronized void close() {
            closed = true;
            used.addAndGet(-held);
            held = 0;
        }
    }

    @Override
    public String toString() {
        return used() + " of " + bytes + " bytes";
    }
}
