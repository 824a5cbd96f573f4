package dev.tandem.task;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The time since which no executor that was given a task had a handler for its type. It travels with the task as a header
 * that no publisher can set and no handler sees, so it survives restarts and a change of owner, and envelopes keep their
 * form. With it goes the time of the next try, so that a later try can tell how long nobody tried.
 */
public final class UnhandledSince {

    /** The header that carries the time: milliseconds since 1970, by the clock of the executor that saw the task first. */
    public static final String HEADER = "tandem-unhandled-since";

    /** The header that carries the time of the next try, by the same kind of clock. */
    public static final String NEXT_HEADER = "tandem-unhandled-next";

    /** The time of a task that was not given to an executor without its handler. */
    public static final long NEVER = 0;

    private UnhandledSince() {}

    /** Returns the time; {@link #NEVER} if the task has none. */
    public static long of(Task task) {
        return time(task, HEADER);
    }

    /** Returns when the next try was due; {@link #NEVER} if that is not known. */
    public static long nextTry(Task task) {
        return time(task, NEXT_HEADER);
    }

    private static long time(Task task, String header) {
        String value = task.headers().get(header);
        if (value == null) {
            return NEVER;
        }
        try {
            return Math.max(NEVER, Long.parseLong(value));
        } catch (NumberFormatException e) {
            return NEVER;
        }
    }

    /** Returns the task with these times. @param nextTry {@link #NEVER} if it is not known */
    public static Task with(Task task, long since, long nextTry) {
        Map<String, String> headers = new LinkedHashMap<>(task.headers());
        headers.put(HEADER, Long.toString(since));
        if (nextTry == NEVER) {
            headers.remove(NEXT_HEADER);
        } else {
            headers.put(NEXT_HEADER, Long.toString(nextTry));
        }
        return task.withHeaders(headers);
    }

    /** Returns the task without the times: it has found a handler, or is dead. */
    public static Task without(Task task) {
        // An executor of an earlier version removes only the first.
        if (!task.headers().containsKey(HEADER) && !task.headers().containsKey(NEXT_HEADER)) {
            return task;
        }
        Map<String, String> headers = new LinkedHashMap<>(task.headers());
        headers.remove(HEADER);
        headers.remove(NEXT_HEADER);
        return task.withHeaders(headers);
    }
}
