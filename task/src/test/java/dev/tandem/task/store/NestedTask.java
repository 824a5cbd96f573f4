package dev.tandem.task.store;

import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.Subtask;
import org.jspecify.annotations.Nullable;

/** A message of a task in a {@link NestedHistory}. Copies of a subtask have one number. */
final class NestedTask {

    private static final int MAX_DEPTH = 3;
    static final int MAX_SUBTASKS = 5;

    /** The task that published this one; null if it is no subtask. */
    final @Nullable NestedTask master;

    final int number;
    final int depth;
    /** Whether there may be another copy of it. */
    final boolean isAgain;
    /** The number of subtasks that it publishes; 0 if it does not fan out. */
    final int total;
    /** The id of its own fan-out. */
    final String own;

    /** The token of its last run. */
    long token;
    /** The end that is recorded of it; null if none is. */
    @Nullable
    End recorded;
    /** The last run that came to its fan-out; 0 if none has. */
    private long came;

    private boolean isToldOfMaster;

    NestedTask(String own, @Nullable NestedTask master, int number, boolean isAgain, int salt) {
        this.own = own;
        this.master = master;
        this.number = number;
        this.isAgain = isAgain;
        this.depth = master == null ? 1 : master.depth + 1;
        boolean fansOut = master == null || depth <= MAX_DEPTH && (number + depth) % 2 == 0;
        // The stream of a subtask is the same in all of its copies.
        this.total = fansOut ? 1 + (number * 7 + depth * 3 + salt) % MAX_SUBTASKS : 0;
    }

    /** Returns what the plan of its own fan-out says of the one around that. */
    String parent() {
        return master == null ? "" : new Subtask(master.own, number, master.depth, isAgain).text();
    }

    boolean hasCome() {
        return came > 0;
    }

    /** A run has come to its fan-out: the end of an earlier one does not count any more. */
    void cameWith(long itsToken) {
        isToldOfMaster &= came == itsToken;
        came = itsToken;
    }

    /** The fan-out was told that a run ended. */
    void toldOf(long itsToken) {
        isToldOfMaster |= itsToken >= came;
    }

    /** Returns whether its fan-out was told how the run ended that came to it last. */
    boolean isToldOfMaster() {
        return isToldOfMaster;
    }
}
