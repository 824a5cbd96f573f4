package dev.tandem.kafka;

import dev.tandem.task.MemoryBudget;

/**
 * The memory that the records of one source take from the poll that returns them until they are delivered. From then on the
 * queue's loop accounts for them. Used by the polling thread.
 */
final class PollMemory implements AutoCloseable {

    final MemoryBudget budget;
    /** For the source's consumer. */
    final BoundedValues values;

    private final MemoryBudget.Account polled;

    PollMemory(MemoryBudget budget) {
        this.budget = budget;
        this.polled = budget.account();
        this.values = new BoundedValues(polled::take, polled::tryTake);
        budget.addReader();
    }

    void beginPoll() {
        polled.hold(0);
        values.beginPoll();
    }

    /** Says that all records of the poll are delivered. */
    void endPoll() {
        polled.hold(0);
    }

    @Override
    public void close() {
        polled.close();
        budget.removeReader();
    }
}
