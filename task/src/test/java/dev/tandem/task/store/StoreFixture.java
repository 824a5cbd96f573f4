package dev.tandem.task.store;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;

/** A store with a fresh partition, and two executors that send requests about it, for the conformance tests. */
interface StoreFixture {

    /** A lease that is short enough for a test to wait until it ends, in milliseconds. */
    long SHORT = 120;

    String KEY = "k";

    Position P1 = new Position("1:1");
    Position P2 = new Position("1:2");
    Position P3 = new Position("1:3");
    Position P4 = new Position("1:4");

    /** Returns a partition of the queue {@code q} that the store knows nothing of. */
    Partition partition();

    /** Returns the executor that acquires the partition first. */
    OwnerClient first();

    /** Returns another executor. */
    OwnerClient second();

    /** Sends a request and waits for the answer. */
    StoreAnswer answerTo(StoreRequest request);

    /** Returns the store's own time in epoch milliseconds. */
    long storeTime();

    /** Returns when at least this much of the store's time has passed. */
    void letTimePass(long millis);

    /** Makes the store's run id differ from the one that the partition's owner knows, as a restart does. */
    void restartStore();
}
