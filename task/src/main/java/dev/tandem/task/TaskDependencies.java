package dev.tandem.task;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a task waits for before it runs, as its headers say. In {@value TaskHeaders#DEPENDS_ON}, ids are separated by commas. One
 * of another queue is written as {@code //queue/id}. A comma in an id is written as {@code %2C}, and a percent sign as {@code
 * %25}.
 *
 * @param on the tasks that it waits for, each once, in order
 * @param policy what becomes of the task if one of those does not succeed; null: as its queue says
 * @param timeoutMillis for how long it waits at most; 0: as its queue says
 */
public record TaskDependencies(
        List<BusinessId> on, @Nullable Policy policy, long timeoutMillis) {

    /** The most ids of a task. */
    public static final int MAX_IDS = 32;

    private static final String OTHER_QUEUE = "//";
    private static final int HEXADECIMAL = 16;

    /** The fate of a task when one that it waits for does not succeed. */
    public enum Policy {
        /** The task dies. */
        DIE,
        /** It waits until the other one is retried and succeeds. It dies when its time is over. */
        WAIT,
        /** The task runs all the same, also when its time is over. */
        RUN
    }

    public TaskDependencies {
        on = List.copyOf(on);
    }

    /** Returns what a task waits for; null if that is nothing, or its headers cannot be read. */
    public static @Nullable TaskDependencies of(Task task) {
        return task.headers().containsKey(TaskHeaders.DEPENDS_ON) && problem(task.queue(), null, task.headers()) == null
                ? read(task.queue(), task.headers())
                : null;
    }

    /**
     * Returns what is wrong with the headers, and what to do; null if nothing is.
     *
     * @param dedupKey that of the task; null if it has none
     */
    static @Nullable String problem(String queue, @Nullable String dedupKey, Map<String, String> headers) {
        try {
            TaskDependencies read = read(queue, headers);
            if (read == null) {
                return null;
            } else if (dedupKey != null && read.on().contains(new BusinessId(queue, dedupKey))) {
                return "header '" + TaskHeaders.DEPENDS_ON + "' has the task's own deduplication key '"
                        + LogText.oneLine(dedupKey, HeaderValues.MAX_SHOWN)
                        + "', so it would wait for itself: leave that id out, or give the task another "
                        + TaskHeaders.DEDUP_KEY;
            }
            return read.on().size() <= MAX_IDS
                    ? null
                    : "header '" + TaskHeaders.DEPENDS_ON + "' has " + read.on().size() + " ids: a task may wait for "
                            + MAX_IDS + ". Let it wait for one task that waits for the others";
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    /** @throws IllegalArgumentException if a header cannot be read; the message says which, and what to do */
    private static @Nullable TaskDependencies read(String queue, Map<String, String> headers) {
        Policy policy = policy(headers.get(TaskHeaders.DEPENDS_POLICY));
        long timeout = timeout(headers.get(TaskHeaders.DEPENDS_TIMEOUT));
        String ids = headers.get(TaskHeaders.DEPENDS_ON);
        Set<BusinessId> on = new LinkedHashSet<>();
        if (ids != null) {
            for (String each : ids.split(",")) {
                if (!each.isBlank()) {
                    on.add(id(queue, each.strip()));
                }
            }
        }
        return on.isEmpty() ? null : new TaskDependencies(new ArrayList<>(on), policy, timeout);
    }

    private static @Nullable Policy policy(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return null;
        }
        for (Policy each : Policy.values()) {
            if (each.name().equals(text.strip().toUpperCase(Locale.ROOT))) {
                return each;
            }
        }
        throw wrong(TaskHeaders.DEPENDS_POLICY, text, "use die, wait or run");
    }

    private static long timeout(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return 0;
        }
        try {
            return HeaderValues.TIMEOUT.read(text.strip());
        } catch (RuntimeException e) {
            throw wrong(TaskHeaders.DEPENDS_TIMEOUT, text, HeaderValues.TIMEOUT.hint());
        }
    }

    private static BusinessId id(String own, String text) {
        String queue = own;
        String key = text;
        if (text.startsWith(OTHER_QUEUE)) {
            int slash = text.indexOf('/', OTHER_QUEUE.length());
            queue = slash < 0 ? "" : text.substring(OTHER_QUEUE.length(), slash);
            key = text.substring(slash + 1);
            if (!Partition.isName(queue)) {
                throw wrong(TaskHeaders.DEPENDS_ON, text, "write the id of a task of another queue as //queue/id");
            }
        }
        key = decoded(key);
        if (key.isEmpty() || HeaderValues.utf8Length(key) > TaskHeaders.MAX_ID) {
            throw wrong(TaskHeaders.DEPENDS_ON, text, "an id has 1 to " + TaskHeaders.MAX_ID + " bytes");
        }
        return new BusinessId(queue, key);
    }

    private static String decoded(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] decoded = new byte[bytes.length];
        int size = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != '%') {
                decoded[size++] = bytes[i];
                continue;
            }
            int high = i + 2 <= bytes.length - 1 ? Character.digit(bytes[i + 1], HEXADECIMAL) : -1;
            int low = i + 2 <= bytes.length - 1 ? Character.digit(bytes[i + 2], HEXADECIMAL) : -1;
            if (high < 0 || low < 0) {
                throw wrong(TaskHeaders.DEPENDS_ON, text, "write a percent sign in an id as %25, and a comma as %2C");
            }
            decoded[size++] = (byte) (high * HEXADECIMAL + low);
            i += 2;
        }
        return new String(decoded, 0, size, StandardCharsets.UTF_8);
    }

    private static IllegalArgumentException wrong(String header, String value, String hint) {
        return new IllegalArgumentException("header '" + header + "' has the value '"
                + LogText.oneLine(value, HeaderValues.MAX_SHOWN) + "': " + hint);
    }
}
