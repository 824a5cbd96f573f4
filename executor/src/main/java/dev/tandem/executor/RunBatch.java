package dev.tandem.executor;

import dev.tandem.ordering.Run;
import java.util.List;

/**
 * Runs that a batch handler gets in one call.
 *
 * @param runs one or more, in the order in which they began to wait
 */
record RunBatch(BatchedHandler handler, List<Waiting> runs) {

    /**
     * A run that waits for others.
     *
     * @param since when it began to wait, by the monotonic clock, in milliseconds
     */
    record Waiting(Run run, long since) {}

    /** Returns the run in whose place the batch is given to a worker. */
    Run first() {
        return runs.get(0).run();
    }
}
