package dev.tandem.api;

import java.time.Duration;

/**
 * Marks an exception that has nothing to do with the task: it came at a moment at which the handler may not do its work. If a
 * handler throws one, the task runs again after a delay without having spent the attempt, as after {@link Result#snooze}.
 */
public interface SnoozeError {

    /** Returns the time between this attempt and the next one: 0 or more. */
    Duration delay();
}
