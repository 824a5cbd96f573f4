package dev.tandem.task.fanout;

import org.jspecify.annotations.Nullable;

/** A request about one fan-out. It may be repeated: members are bits, and nothing is counted. */
public sealed interface FanOutRequest {

    /** Returns the id of the fan-out. */
    String id();

    /**
     * A run of the master begins or goes on with its stream. Later requests of runs with lower tokens are refused.
     *
     * @param token the fencing token of the run
     * @param plan is kept if the fan-out is new
     */
    record Open(String id, long token, FanOutPlan plan) implements FanOutRequest {}

    /**
     * The broker has acknowledged all subtasks below a number.
     *
     * @param reads whether the run wants to know which of the next ones have ended, because an earlier run may have published them
     */
    record Note(String id, long token, long cursor, boolean reads) implements FanOutRequest {

        /** A note that reads nothing. */
        public Note(String id, long token, long cursor) {
            this(id, token, cursor, false);
        }
    }

    /** The stream has ended and the broker has acknowledged all. */
    record Seal(String id, long token, long total) implements FanOutRequest {}

    /**
     * The master has ended without a seal, so the stream ends where it is.
     *
     * @param token that of the run that ended, or of the last one that is known. Refused if a newer one has begun
     */
    record Abandon(String id, long token, String why) implements FanOutRequest {}

    /** Stops the fan-out: subtasks that have not begun are not to run. */
    record Cancel(String id, String why) implements FanOutRequest {

        /** Why a fan-out in another one is cancelled. */
        public static final String WITH_OUTER = "the fan-out around it was cancelled";
    }

    /** Gives up all subtasks that have not ended: nobody waits for them any more. */
    record GiveUp(String id, String why) implements FanOutRequest {}

    /**
     * A subtask has ended. If it has fanned out itself, that counts only when its own fan-out has ended.
     *
     * @param error null unless it failed
     * @param nested whether its own fan-out has ended
     */
    record Tell(String id, long number, End end, @Nullable String error, boolean nested) implements FanOutRequest {

        /** The end of the task itself. */
        public Tell(String id, long number, End end, @Nullable String error) {
            this(id, number, end, error, false);
        }
    }

    /**
     * A subtask fans out itself, so that it ends with its own fan-out, whatever becomes of its runs.
     *
     * @param inner the id of its own fan-out
     */
    record Nest(String id, long number, String inner) implements FanOutRequest {}

    /** A subtask is about to run that has begun before, or of which there may be two copies. */
    record Ask(String id, long number) implements FanOutRequest {}

    /**
     * The final task is about to run.
     *
     * @param identity what the task is recognised by
     * @param name its id, for people
     */
    record Begin(String id, String identity, String name) implements FanOutRequest {}

    /**
     * Somebody wants to submit the final task, and to tell the fan-out around it.
     *
     * @param claimant tells this claim from others: it may be repeated
     * @param millis for how long nobody else may
     */
    record Claim(String id, String claimant, long millis) implements FanOutRequest {}

    /** The final task is submitted, and the fan-out around it has been told. */
    record Finish(String id) implements FanOutRequest {}

    /** Says that nobody needs to look at the fan-out for a time. */
    record Postpone(String id, long millis) implements FanOutRequest {}

    /** Asks for all that is known. */
    record View(String id) implements FanOutRequest {}

    /** The ways in which a subtask ends. */
    enum End {
        SUCCEEDED,
        FAILED,
        CANCELLED
    }
}
