package dev.tandem.task.fanout;

import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutRequest.End;
import java.util.List;

/**
 * All that is known of a fan-out. Times are epoch milliseconds by the clock of the store.
 *
 * @param phase whether its stream has ended, and whether its subtasks have
 * @param why why it was stopped; "" if it was not
 * @param cursor how many subtasks are surely published
 * @param total how many subtasks there are; -1 while the stream has not ended
 * @param ended how many have ended, by their bits
 * @param failed how many of these have failed, by their bits
 * @param cancelled how many of these were cancelled, by their bits
 * @param since when it began
 * @param endedAt when the last of those ended for which it waited; 0 if that is not known
 * @param finished whether the final task is submitted, and the fan-out around it has been told
 * @param tries how many times somebody began to submit the final task
 * @param begunBy the id of the final task that has begun; "" if none has
 * @param errors the first errors
 * @param token of the last run of the master that is known
 * @param master what is known of the end of the master, if that is a subtask
 */
public record FanOutRecord(
        String id,
        FanOutPlan plan,
        Phase phase,
        Stop stop,
        String why,
        long cursor,
        long total,
        long ended,
        long failed,
        long cancelled,
        long since,
        long endedAt,
        boolean finished,
        int tries,
        String begunBy,
        List<Failure> errors,
        long token,
        Master master) {

    /** The most errors that are kept. */
    public static final int MAX_ERRORS = 10;

    /** The longest error that is kept, in characters. */
    public static final int MAX_ERROR = 300;

    /** The phases of a fan-out. The order is that of the codes in the scripts. */
    public enum Phase {
        /** The master streams subtasks. */
        OPEN,
        /** The stream has ended. */
        SEALED,
        /** All subtasks have ended, and the master if that is a subtask. */
        COMPLETE
    }

    /**
     * The end of a master.
     *
     * @param awaited whether it has not ended, as far as is known, and the fan-out waits for that
     * @param end how it ended behind its stream
     * @param why why it did not succeed; "" if it did
     */
    public record Master(boolean awaited, End end, String why) {

        /** A master for which its fan-out does not wait. */
        public static final Master NOT_AWAITED = new Master(false, End.SUCCEEDED, "");
    }

    /** An error of a subtask. */
    public record Failure(long number, String error) {}

    /** Returns whether all subtasks have ended, and only the master is awaited. */
    public boolean awaitsOnlyMaster() {
        return phase == Phase.SEALED && master.awaited() && ended >= total;
    }

    /** Returns how many subtasks have succeeded. */
    public long succeeded() {
        return ended - failed - cancelled;
    }
}
