package dev.tandem.task;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a task waits for that was put back before its handler began, in words for people, such as {@code the task parcels/pack-7}.
 * It travels as a header that no publisher can set and no handler sees, so envelopes keep their form.
 */
public final class WaitReason {

    /** The header that carries the words. */
    public static final String HEADER = "tandem-waits-for";

    /** Begins the reason of a task that waits for a permit; the name of the limit follows. */
    public static final String PERMIT = "a permit of ";

    /** Begins the reason of a task that waits for its rate; the name of the rate limit follows. */
    public static final String TOKEN = "a token of ";

    /** Begins the reason of a task that waits for another one; the name of that one follows. */
    public static final String TASK = "the task ";

    /** The reason of a task whose key moved when its topic got more partitions. */
    public static final String EARLIER_PARTITION = "earlier tasks of its key, in another partition";

    /** The reason of a task that waits in memory for its turn; ends that of one that waits for others of its key as well. */
    public static final String SLOT = "a free slot";

    /** The longest text that is kept, in characters. */
    static final int MAX = 200;

    private WaitReason() {}

    /** Returns what a task waits for; null if it is not known, or it waits for its time only. */
    public static @Nullable String of(Task task) {
        return task.headers().get(HEADER);
    }

    /** Returns the task with this reason, in place of an earlier one. @param reason null for none */
    public static Task with(Task task, @Nullable String reason) {
        String before = of(task);
        if (reason == null && before == null) {
            return task;
        }
        Map<String, String> headers = new LinkedHashMap<>(task.headers());
        if (reason == null) {
            headers.remove(HEADER);
        } else {
            headers.put(HEADER, LogText.oneLine(reason, MAX));
        }
        return task.withHeaders(headers);
    }

    /** Returns the task without a reason: it was tried again. */
    public static Task without(Task task) {
        return with(task, null);
    }
}
