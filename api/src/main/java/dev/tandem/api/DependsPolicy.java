package dev.tandem.api;

import java.util.Locale;

/** The fate of a task when one that it waits for dies, expires or is cancelled. */
public enum DependsPolicy {
    /** The task dies. */
    DIE,
    /** The task waits on, until the other one is retried and succeeds. It dies when its time is over. */
    WAIT,
    /** The task runs all the same, also when its time is over. */
    RUN;

    String header() {
        return name().toLowerCase(Locale.ROOT);
    }
}
