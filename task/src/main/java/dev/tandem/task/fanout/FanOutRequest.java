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
     * @param masterHash identifies the master: the id of its fan-out without a name
     * @param plan is kept if the fan-out is new
     */
    record Open(String id, long token, String masterHash, FanOutPlan plan) implements FanOutRequest {

        /** A fan-out without a name. */
        public Open(String id, long token, FanOutPlan plan) {
            this(id, token, id, plan);
        }
    }

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
     * The master has ended. If its stream has not, that ends where it is. A fan-out whose master is a subtask waits for this.
     *
     * @param token that of the run that ended, or of the last one that is known. Refused if a newer one has begun
     * @param end how the master ended
     * @param cancels whether somebody cancelled the master. Then subtasks that run are interrupted, and whoever abandons cancels the
     *     fan-outs within this one. If he dies, a patrol does
     */
    record Abandon(String id, long token, End end, String why, boolean cancels) implements FanOutRequest {

        /** Nobody cancelled the master: those that run go on. */
        public Abandon(String id, long token, End end, String why) {
            this(id, token, end, why, false);
        }

        /** Returns the same for a master that somebody cancelled. */
        public Abandon cancelling() {
            return new Abandon(id, token, end, why, true);
        }
    }

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
     * @param inner the id of its own fan-out, if this is the end of that; null if it is that of the task itself
     */
    record Tell(
            String id,
            long number,
            End end,
            @Nullable String error,
            @Nullable String inner) implements FanOutRequest {

        /** The end of the task itself. */
        public Tell(String id, long number, End end, @Nullable String error) {
            this(id, number, end, error, null);
        }
    }

    /**
     * A subtask is about to fan out itself, so that it ends with its own fan-out, whatever becomes of its runs. If there are two
     * copies of it, the first one to say so has its place. If one has ended, however that was, none has it any more.
     *
     * @param inner the id of its own fan-out
     * @param retried whether an operator had it run again after it had died. Then it may have its place although it has failed
     */
    record Nest(String id, long number, String inner, boolean retried) implements FanOutRequest {

        /** A subtask that no operator had run again. */
        public Nest(String id, long number, String inner) {
            this(id, number, inner, false);
        }
    }

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

    /** Says that nobody needs to look at the fan-out for a time; if all has ended, for half a minute at most. */
    record Postpone(String id, long millis) implements FanOutRequest {}

    /**
     * Asks for the fan-outs of subtasks that have begun and have not ended, some at a time.
     *
     * @param from {@link #FIRST}, or where the page before says
     */
    record Within(String id, String from) implements FanOutRequest {

        /** Begins the first page. The last one says that it is next. */
        public static final String FIRST = "0";
    }

    /** Asks for all that is known. */
    record View(String id) implements FanOutRequest {}

    /** The ways in which a subtask ends. */
    enum End {
        SUCCEEDED,
        FAILED,
        CANCELLED
    }
}
