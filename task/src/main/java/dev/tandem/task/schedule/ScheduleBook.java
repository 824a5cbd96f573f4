package dev.tandem.task.schedule;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Port: the records of schedules. A firing is claimed, then its task is submitted, then it is marked. All times are epoch
 * milliseconds by the clock of the store, which the caller follows. Thread-safe; no method blocks, and a stage fails if the store
 * does not answer.
 */
public interface ScheduleBook {

    /** The time for which a schedule is current although no program has announced it. */
    long STALE_MILLIS = 60_000;

    /** The time for which a firing belongs to the program that has claimed it, unless it claims it again. */
    long CLAIM_MILLIS = 10_000;

    /** The value of a time or an instant that is not there. */
    long NONE = -1;

    /** Returns the time of the store. */
    CompletionStage<Long> now();

    /**
     * A schedule that a program has.
     *
     * @param version names the definition
     * @param timing names what its instants follow from. Where it changes, the schedule begins anew
     * @param definition null if it need not be sent, because the store should have this version
     * @param created whether it is one of {@link Created}, which no program has of its own
     */
    record Announced(
            String id,
            String version,
            String timing,
            @Nullable String definition,
            boolean created) {

        /** Announces a schedule of the program's own. */
        public Announced(String id, String version, String timing, @Nullable String definition) {
            this(id, version, timing, definition, false);
        }
    }

    /** An answer to an announcement. */
    enum Standing {
        /** The store has this definition. */
        CURRENT,
        /** The store needs the definition. */
        UNKNOWN,
        /** A program that started later has another definition. */
        REPLACED,
        /** There are too many schedules. */
        NO_ROOM,
        /** Somebody has created a schedule with this id, which counts until it is deleted. */
        TAKEN
    }

    /**
     * What the store knows of a schedule.
     *
     * @param fired the last instant that fired, or was passed over
     * @param asked when somebody asked for a firing now; {@link #NONE} if nobody did
     * @param open the last firing whose task is not known to have ended; {@link #NONE} if there is none
     */
    record Known(Standing standing, long fired, boolean paused, long asked, long open) {}

    /**
     * Announces schedules: they stay current. The definition of the program that started last counts.
     *
     * @param since when this program started
     * @return an answer for each, in order
     */
    CompletionStage<List<Known>> announce(long now, long since, List<Announced> schedules);

    /**
     * A firing that a program wants to make.
     *
     * @param version of the definition that it follows
     * @param fired the last instant that fired, as the program knows it
     * @param instant the instant to fire
     * @param asked whether somebody asked for it, so that it is none of the schedule's own
     */
    record Claim(String id, String version, long fired, long instant, boolean asked) {}

    /** An answer to a claim. */
    enum Verdict {
        /** The firing is this program's. */
        CLAIMED,
        /** Another program has a claim; {@code until} says how long. */
        BUSY,
        /** The schedule has gone on: {@code fired} says how far. */
        MOVED,
        /** An operator has paused the schedule. */
        PAUSED,
        /** The store has another definition, or none. */
        REPLACED
    }

    /**
     * An answer to a claim.
     *
     * @param fired the last instant that fired
     * @param until when the claim of another program ends
     * @param open the last firing whose task is not known to have ended; {@link #NONE} if there is none, or nobody asks
     */
    record Claimed(Verdict verdict, long fired, long until, long open) {}

    /** Claims firings. A program that has a claim claims it again to keep it. @return an answer for each, in order */
    CompletionStage<List<Claimed>> claim(long now, String program, List<Claim> claims);

    /**
     * A claim that is done.
     *
     * @param instant the instant that was claimed
     * @param fired whether its task was submitted
     * @param open whether later firings ask whether that task has ended
     * @param missed how many instants were passed over as missed
     * @param skipped whether it did not fire because the task of an earlier one runs
     */
    record Mark(String id, long instant, boolean asked, boolean fired, boolean open, int missed, boolean skipped) {}

    /** Marks claims as done. To repeat it changes nothing but totals. */
    CompletionStage<Void> mark(long now, String program, List<Mark> marks);

    /** Says that the task of a firing has ended. */
    CompletionStage<Void> ended(long now, String id, long instant);

    /**
     * A schedule that somebody created, so that it belongs to no program.
     *
     * @param version names the definition and the payload
     * @param timing names what its instants follow from
     * @param definition without the payload
     * @param payload the payload of its tasks
     */
    record Definition(String id, String version, String timing, String definition, String payload) {}

    /**
     * The created schedules, by id.
     *
     * @param revisions what the store said of the parts that it keeps them in; made by the store, for the store
     */
    record Created(Map<Integer, String> revisions, Map<String, Definition> schedules) {

        public static final Created NONE = new Created(Map.of(), Map.of());
    }

    /** Reads the created schedules. @param known what was read before. @return the same instance if nothing has changed */
    CompletionStage<Created> created(Created known);

    /** The version of a schedule that does not exist. */
    String NO_VERSION = "";

    /** Stands for any version, and for none. */
    String ANY_VERSION = "*";

    /**
     * Creates a schedule, or gives a created one another definition.
     *
     * @param expected the version that it has now: one, {@link #NO_VERSION} or {@link #ANY_VERSION}
     */
    CompletionStage<Result> define(long now, Definition definition, String expected);

    /** Calls the listener after changes by operators. @return ends that when closed */
    AutoCloseable watch(Runnable changed);

    /**
     * A schedule, for people.
     *
     * @param definition without the payload
     * @param seen when a program last said that it has the schedule
     * @param paused since when it is paused; {@link #NONE} if it is not
     * @param open the last firing whose task is not known to have ended; {@link #NONE} if there is none
     * @param created whether somebody created it, so that it belongs to no program
     */
    record Entry(
            String id,
            String definition,
            long seen,
            long fired,
            long paused,
            long asked,
            long open,
            long firings,
            long missed,
            long skipped,
            boolean created) {}

    /** Returns all schedules, by id. */
    CompletionStage<List<Entry>> list();

    /** Returns one schedule. */
    CompletionStage<Optional<Entry>> find(String id);

    /** A change by an operator. */
    enum Change {
        PAUSE,
        /** Instants during the pause do not fire. */
        RESUME,
        FIRE,
        /** Forgets a schedule that no program has, or deletes one that somebody created. */
        FORGET
    }

    /**
     * A schedule that can be restored.
     *
     * @param created whether somebody created it, so that it belongs to no program
     * @param version names the definition
     */
    record Deleted(boolean created, String version, String definition) {}

    /** Returns the schedule that {@link #restore} would bring back; empty if there is none, or another one has its id. */
    CompletionStage<Optional<Deleted>> deleted(long now, String id);

    /** The result of a change. */
    enum Result {
        DONE,
        /** There is no such schedule, or none that can be restored. */
        NOT_FOUND,
        /** Refused: some program has the schedule. */
        CURRENT,
        /** Refused: no program has the schedule, so nobody would fire it; or it is a program's that does not run now. */
        STALE,
        /** Refused: the schedule has not the expected version, or somebody has created one with this id meanwhile. */
        DIFFERS,
        /** Refused: there are too many schedules. */
        NO_ROOM
    }

    CompletionStage<Result> change(long now, String id, Change change);

    /**
     * Brings a schedule back that was forgotten or deleted lately, as it was.
     *
     * @param version the version that it had, so that another one of this id that was deleted meanwhile is not taken for it
     */
    CompletionStage<Result> restore(long now, String id, String version);
}
