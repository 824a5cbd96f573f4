package dev.tandem.task;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** The states of a task and the one table of the legal steps between them. */
public enum TaskState {
    /** Held by Redis until its time comes. */
    SCHEDULED,
    /** Held by Redis behind its blocked key. */
    PARKED,
    /** Claimed: running, or about to. */
    ACTIVE,
    /** Held by Redis until its next attempt; due now when it was put back. */
    RETRY,
    SUCCEEDED,
    /** Used up its attempts or was rejected; kept whole, and replayable. */
    DEAD,
    CANCELLED;

    private static final Map<TaskState, Set<TaskState>> NEXT = new EnumMap<>(TaskState.class);

    static {
        NEXT.put(SCHEDULED, EnumSet.of(ACTIVE, PARKED, CANCELLED));
        NEXT.put(PARKED, EnumSet.of(ACTIVE, RETRY, DEAD, CANCELLED));
        NEXT.put(ACTIVE, EnumSet.of(SUCCEEDED, RETRY, DEAD));
        NEXT.put(RETRY, EnumSet.of(ACTIVE, PARKED, DEAD, CANCELLED));
        NEXT.put(DEAD, EnumSet.of(RETRY, CANCELLED));
        NEXT.put(SUCCEEDED, EnumSet.noneOf(TaskState.class));
        NEXT.put(CANCELLED, EnumSet.noneOf(TaskState.class));
    }

    /** Whether a task may go from this state to that one. */
    public boolean mayBecome(TaskState next) {
        return NEXT.getOrDefault(this, Set.of()).contains(next);
    }

    /** Final states are never left by the platform itself; an operator may replay a dead task. */
    public boolean isFinal() {
        return this == SUCCEEDED || this == DEAD || this == CANCELLED;
    }
}
