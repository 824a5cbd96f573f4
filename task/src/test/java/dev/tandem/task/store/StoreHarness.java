package dev.tandem.task.store;

import dev.tandem.task.Partition;
import org.junit.jupiter.api.BeforeEach;

/**
 * How a store is asked, and two executors that ask it.
 *
 * <p>Leases are either so long that they never end in a test ({@link Owner#LONG}) or so short that waiting for their end
 * costs nothing ({@link #SHORT}); no test says how long something takes.
 */
abstract class StoreHarness {

    /** A lease that a test waits out, in milliseconds. */
    protected static final long SHORT = 40;

    static final String KEY = "k";

    Partition partition = Partition.of("q", 0);
    Owner a = new Owner(partition, "a", this::ask);
    Owner b = new Owner(partition, "b", this::ask);

    /** A partition that the store knows nothing of, of the queue {@code q}. */
    protected abstract Partition freshPartition();

    /** Sends and waits for the answer. */
    protected abstract StoreAnswer ask(StoreRequest request);

    /** The store's own time, in epoch milliseconds. */
    protected abstract long now();

    /** Returns when at least so much of the store's time has passed. */
    protected abstract void pass(long millis);

    /** Makes the run id that the partition's owner knows differ from the store's, as after a restart. */
    protected abstract void restarted(Partition restarted);

    @BeforeEach
    void open() {
        partition = freshPartition();
        a = new Owner(partition, "a", this::ask);
        b = new Owner(partition, "b", this::ask);
    }
}
