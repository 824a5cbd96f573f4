package dev.tandem.runtime.schedules;

/** Refuses a cron expression. The message says what is wrong with it and what to write. */
public final class CronException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    CronException(String message) {
        super(message);
    }
}
