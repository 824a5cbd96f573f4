package dev.tandem.task;

import dev.tandem.task.fanout.Subtask;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The mark of a dead subtask that an operator had run again. It may fan out although its number has failed, which a copy of it may
 * not. The mark travels as a header that no publisher can set and no handler sees, so envelopes keep their form.
 */
public final class RetriedByOperator {

    /** The header that is the mark. */
    public static final String HEADER = "tandem-retried";

    private static final String YES = "1";

    private RetriedByOperator() {}

    /** Returns whether a task has the mark. */
    public static boolean isMarked(Task task) {
        return task.headers().containsKey(HEADER);
    }

    /** Returns the task with the mark if it is a subtask. For others it makes no difference. */
    public static Task with(Task task) {
        if (isMarked(task) || !task.headers().containsKey(Subtask.HEADER)) {
            return task;
        }
        Map<String, String> headers = new LinkedHashMap<>(task.headers());
        headers.put(HEADER, YES);
        return task.withHeaders(headers);
    }
}
