package dev.tandem.task;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The time since which no executor that was given a task had a handler for its type. It travels with the task as a header
 * that no publisher can set and no handler sees, so it survives restarts and a change of owner, and envelopes keep their
 * form.
 */
public final class UnhandledSince {

    /** The header that carries the time: milliseconds since 1970, by the clock of the executor that saw the task first. */
    public static final String HEADER = "tandem-unhandled-since";

    /** The time of a task that was not given to an executor without its handler. */
    public static final long NEVER = 0;

    private UnhandledSince() {}

    /** Returns the time; {@link #NEVER} if the task has none. */
    public static long of(Task task) {
        String value = task.headers().get(HEADER);
        if (value == null) {
            return NEVER;
        }
        try {
            return Math.max(NEVER, Long.parseLong(value));
        } catch (NumberFormatException e) {
            return NEVER;
        }
    }

    /** Returns the task with this time. */
    public static Task with(Task task, long since) {
        Map<String, String> headers = new LinkedHashMap<>(task.headers());
        headers.put(HEADER, Long.toString(since));
        return task.withHeaders(headers);
    }

    /** Returns the task without a time: it has found a handler, or is dead. */
    public static Task without(Task task) {
        if (!task.headers().containsKey(HEADER)) {
            return task;
        }
        Map<String, String> headers = new LinkedHashMap<>(task.headers());
        headers.remove(HEADER);
        return task.withHeaders(headers);
    }
}
