package dev.tandem.executor;

import dev.tandem.ordering.QueueCore;
import dev.tandem.task.MemoryBudget;

/**
 * Bounds what a loop's core may hold by what all loops of the process hold. For a log only: the source of a message
 * queue counts its messages itself, from their arrival. Used by the loop's thread only.
 */
final class LoopMemory {

    private final QueueCore core;
    private final MemoryBudget budget;
    private final MemoryBudget.Account account;
    private long lastMillis = Long.MIN_VALUE;

    LoopMemory(QueueCore core, MemoryBudget budget) {
        this.core = core;
        this.budget = budget;
        this.account = budget.account();
    }

    /** Counts what the core holds, once a millisecond at most, and tells it what it may hold. */
    void update(long nowMillis) {
        if (nowMillis != lastMillis) {
            lastMillis = nowMillis;
            account.hold(core.bytes());
            core.memoryBound(budget.bound());
        }
    }

    void close() {
        account.close();
    }
}
