package dev.tandem.runtime.schedules;

import dev.tandem.task.schedule.ScheduleBook;
import org.jspecify.annotations.Nullable;

/** The state of one schedule, as this program knows it. Changed by {@link FiringCore} only. */
final class FiringState {

    /** The step that a firing is at. */
    enum Phase {
        /** Nothing is under way. */
        IDLE,
        CLAIMING,
        /** Claimed; whether the task of an earlier firing has ended is asked. */
        LOOKING,
        /** Claimed; the task is on its way to its broker. */
        SUBMITTING,
        /** Claimed; the task was not accepted, and is submitted again. */
        RETRYING,
        MARKING;

        /** Whether the firing is claimed, so that the claim must be kept. */
        boolean holds() {
            return this != IDLE && this != CLAIMING;
        }

        /** Whether nothing is on its way to a broker or accepted, so that another program may fire instead. */
        boolean canBeGivenUp() {
            return this == LOOKING || this == RETRYING;
        }
    }

    final Schedule schedule;
    final String version;
    final String timing;
    final String definition;

    /** Whether the store has this definition, so that this program may fire. */
    boolean current;

    boolean sendsDefinition;
    long fired = ScheduleBook.NONE;
    long open = ScheduleBook.NONE;
    long asked = ScheduleBook.NONE;
    boolean paused;

    Phase phase = Phase.IDLE;
    /** The next step; null if it must be planned. */
    @Nullable
    FiringPlan plan;

    /** The firing that is under way. */
    long instant;

    boolean forAsked;
    int missed;
    boolean fires;
    ScheduleBook.@Nullable Mark mark;

    /** No step before this time. */
    long notBefore;

    long claimedAt;
    /** When the firing began to wait for the end of an earlier task. */
    long lookingSince;

    long lookedAt;

    FiringState(Schedule schedule) {
        this.schedule = schedule;
        this.definition = ScheduleJson.write(schedule);
        this.version = ScheduleJson.digest(definition);
        this.timing = ScheduleJson.digest(schedule.timing().toString());
    }
}
