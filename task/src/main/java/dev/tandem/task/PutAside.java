package dev.tandem.task;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The mark of a task that was put aside because operators had paused its type or key. Whoever resumes them makes the marked tasks
 * due, and no others. The mark travels as a header that no publisher can set and no handler sees, so envelopes keep their form.
 */
public final class PutAside {

    /** The header that is the mark. */
    public static final String HEADER = "tandem-put-aside";

    private static final String YES = "1";

    private PutAside() {}

    /** Returns whether a task has the mark. */
    public static boolean isMarked(Task task) {
        return task.headers().containsKey(HEADER);
    }

    /** Returns the task with the mark. */
    public static Task with(Task task) {
        if (isMarked(task)) {
            return task;
        }
        Map<String, String> headers = new LinkedHashMap<>(task.headers());
        headers.put(HEADER, YES);
        return task.withHeaders(headers);
    }

    /** Returns the task without the mark: it was tried again. */
    public static Task without(Task task) {
        if (!isMarked(task)) {
            return task;
        }
        Map<String, String> headers = new LinkedHashMap<>(task.headers());
        headers.remove(HEADER);
        return task.withHeaders(headers);
    }
}
