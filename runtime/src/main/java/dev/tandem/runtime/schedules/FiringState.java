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

    /** Whether somebody created it in the store, so that it is none of this program's own. */
    final boolean created;

    /** Whether it is replaced or deleted, and begins nothing more. */
    boolean retired;

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

    private FiringState(Schedule schedule, ScheduleBook.Definition definition, boolean created) {
        this.schedule = schedule;
        this.definition = definition.definition();
        this.version = definition.version();
        this.timing = definition.timing();
        this.created = created;
    }

    ScheduleBook.Announced announcement() {
        return new ScheduleBook.Announced(schedule.id(), version, timing, sendsDefinition ? definition : null, created);
    }

    boolean isOf(ScheduleBook.Definition other) {
        return created && version.equals(other.version());
    }

    static FiringState own(Schedule schedule) {
        return new FiringState(schedule, ScheduleJson.definition(schedule), false);
    }

    static FiringState created(CreatedSchedule created) {
        return new FiringState(created.schedule(), created.definition(), true);
    }
}
