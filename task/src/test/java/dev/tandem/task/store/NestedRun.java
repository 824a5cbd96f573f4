package dev.tandem.task.store;

/** A run of a task in a {@link NestedHistory}. */
final class NestedRun {

    /** The steps of a run, in their order. */
    enum Stage {
        BEGUN,
        NESTED,
        PUBLISHES,
        RETURNED
    }

    final NestedTask task;
    final long token;
    Stage stage = Stage.BEGUN;
    /** The next subtask that it publishes. */
    long next;
    /** The subtask at which its stream ends. */
    long bound;

    boolean isResumed;
    /** Whether it has found out that another copy of its task fans out, or has ended. */
    boolean isOfCopy;

    NestedRun(NestedTask task) {
        this.task = task;
        this.token = ++task.token;
        this.bound = task.total;
    }

    boolean hasOpened() {
        return stage == Stage.PUBLISHES || stage == Stage.RETURNED;
    }

    /** Publishes no further subtask, unless an earlier run may have done so. */
    void stop() {
        bound = isResumed ? task.total : Math.min(bound, next);
    }
}
