package dev.tandem.task.fanout;

import org.jspecify.annotations.Nullable;

/**
 * What the store answers to a {@link FanOutRequest}.
 *
 * @param stop why subtasks that have not begun are not to run
 * @param cancelled whether somebody cancelled it, also if it was stopped before: then subtasks that run are interrupted
 * @param cursor how many subtasks are surely published
 * @param total how many subtasks there are; -1 while the stream has not ended
 * @param ended with {@link FanOutRequest.Open}, and with a {@link FanOutRequest.Note} that reads: which of those from the cursor on have ended, from the byte of the cursor's bit on
 * @param other with {@link Code#RESUMED}: see {@link #reach}. With {@link Code#DUPLICATE} to {@link FanOutRequest.Begin}: the id of the other final task; to {@link FanOutRequest.Nest}: the id of the other copy's own fan-out, "" if that, or the copy, has ended. With {@link Code#NESTED}: the id of the subtask's own fan-out. To {@link FanOutRequest.Within}: where the next page begins, and the ids, with spaces between them
 * @param record with {@link FanOutRequest.View} and {@link FanOutRequest.Claim}: all that is known
 */
public record FanOutAnswer(
        Code code,
        Stop stop,
        boolean cancelled,
        long cursor,
        long total,
        byte[] ended,
        String other,
        @Nullable FanOutRecord record) {

    /** Returns the number behind the last subtask that has ended, with {@link Code#RESUMED}. */
    public long reach() {
        return Long.parseLong(other);
    }

    /** Returns whether the stream does not go on, to a {@link FanOutRequest.Abandon}: now, or since an earlier one. */
    public boolean isGivenUp() {
        return code == Code.OK || code == Code.COMPLETE || code == Code.CLOSED && stop == Stop.ABANDONED;
    }

    /** The kinds of answers. The order is that of the codes in the scripts. */
    public enum Code {
        /** It is done, or was done before. */
        OK,
        /** No fan-out has this id, or it is kept no more. */
        UNKNOWN,
        /** A newer run of the master goes on with the stream. */
        FENCED,
        /** The stream has ended already, or, to a claim, there is nothing to do. */
        CLOSED,
        /** There are too many open fan-outs. */
        NO_ROOM,
        /** The stream has ended before a subtask that exists. */
        NOT_REPEATABLE,
        /** The task is a copy of one that ran or runs. */
        DUPLICATE,
        /** All subtasks have ended: somebody must claim the fan-out. */
        COMPLETE,
        /** The fan-out existed already, and its master goes on with it. */
        RESUMED,
        /** The subtask has failed before: somebody has it retried, or it is a copy. */
        HAS_FAILED,
        /** The subtask has fanned out itself, and ends with its own fan-out, which has not ended. Not a code of the scripts. */
        NESTED
    }

    /** The reasons why subtasks that have not begun are not to run. The order is that of the codes in the scripts. */
    public enum Stop {
        NO,
        /** Too many subtasks have failed. */
        FAILED,
        CANCELLED,
        /** The master ended before its stream did. */
        ABANDONED
    }
}
