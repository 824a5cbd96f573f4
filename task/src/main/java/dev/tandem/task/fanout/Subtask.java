package dev.tandem.task.fanout;

import dev.tandem.task.Task;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which subtask of a fan-out a task is: the value of its header {@value #HEADER}.
 *
 * @param fanOut the id of the fan-out: 20 hexadecimal digits
 * @param number its number among the subtasks, 0 or more
 * @param depth how many fan-outs are around it, 1 or more
 * @param again whether an earlier run of the master may have published the same number. Then it is asked about before it runs
 */
public record Subtask(String fanOut, long number, int depth, boolean again) {

    /** The header of a subtask. */
    public static final String HEADER = "tandem-fan-out";

    /** The header of a final task: the id of its fan-out. */
    public static final String FINAL_HEADER = "tandem-fan-out-final";

    /** The header of a final task with the result of its fan-out, as JSON. */
    public static final String RESULT_HEADER = "tandem-fan-out-result";

    /** The most subtasks that one fan-out can have, whatever the settings say. */
    public static final long MOST = 10_000_000;

    private static final Pattern ID = Pattern.compile("[0-9a-f]{20}");

    private static final Pattern TEXT = Pattern.compile("([0-9a-f]{20})/(\\d{1,8})/(\\d{1,3})(/again)?");

    /** Returns which subtask a task is; null if it is none, or if its header cannot be read. */
    public static @Nullable Subtask of(Task task) {
        String text = task.headers().get(HEADER);
        return text == null ? null : parse(text);
    }

    /** Reads the value of the header. @return null if it is no such value */
    public static @Nullable Subtask parse(String text) {
        Matcher found = TEXT.matcher(text);
        if (!found.matches()) {
            return null;
        }
        long number = Long.parseLong(found.group(2));
        return number >= MOST
                ? null
                : new Subtask(found.group(1), number, Integer.parseInt(found.group(3)), found.group(4) != null);
    }

    /** Returns the fan-out of which a task is the final one; null if it is none. */
    public static @Nullable String finalOf(Task task) {
        String id = task.headers().get(FINAL_HEADER);
        return id != null && isId(id) ? id : null;
    }

    /** Returns whether a text is the id of a fan-out. */
    public static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /** Returns the value of the header. */
    public String text() {
        return fanOut + "/" + number + "/" + depth + (again ? "/again" : "");
    }

    /** Returns the id of the subtask's task, for people. */
    public String taskId() {
        return fanOut + "-" + number;
    }

    /** Returns which of so many partitions gets the subtask if it has no key. */
    public int turnOf(int partitions) {
        return (int) ((number + (fanOut.hashCode() & 0xFFFF)) % partitions);
    }

    /**
     * Returns the value of the key header that spreads subtasks without a key over the sub-queues of RabbitMQ. It is no key: see
     * {@link #withoutSpreadKey}.
     */
    public String spreadKey() {
        return fanOut + "/" + number;
    }

    /** Returns a task that was read from RabbitMQ, without the key that only spread it. */
    public static Task withoutSpreadKey(Task task) {
        Subtask subtask = task.key() == null ? null : of(task);
        if (subtask == null || !subtask.spreadKey().equals(task.key())) {
            return task;
        }
        return new Task(
                task.id(),
                task.queue(),
                task.type(),
                null,
                task.payload(),
                task.headers(),
                task.publishedAt(),
                task.notBefore(),
                task.timeoutMillis(),
                task.maxAttempts(),
                task.dedupKey());
    }
}
