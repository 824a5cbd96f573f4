package dev.tandem.task.fanout;

import dev.tandem.task.fanout.FanOutAnswer.Stop;
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
 * @param endedAt when the last subtask ended; 0 if that is not known
 * @param finished whether the final task is submitted, and the fan-out around it has been told
 * @param tries how many times somebody began to submit the final task
 * @param begunBy the id of the final task that has begun; "" if none has
 * @param errors the first errors
 * @param token of the last run of the master that is known
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
        long token) {

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
        /** All subtasks have ended. */
        COMPLETE
    }

    /** An error of a subtask. */
    public record Failure(long number, String error) {}

    /** Returns how many subtasks have succeeded. */
    public long succeeded() {
        return ended - failed - cancelled;
    }
}
