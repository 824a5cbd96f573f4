package dev.tandem.verify.load;

import dev.tandem.task.TaskHeaders;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Tasks with deduplication keys, with dependencies and under a limit. Their ids say which is which, so that events need not: {@code
 * dup-7-2-1} is the second copy with the deduplication key {@code dup-7}, {@code dep-9-1-1} waits for {@code pre-9}, and {@code
 * lim-3-12} needs a permit.
 */
public final class FeatureTasks {

    /** The type of tasks that need a permit. */
    public static final String LIMITED_TYPE = "limited";

    /** How many tasks of that type may run at once. */
    public static final int LIMIT = 5;

    static final String COPY = "dup-";
    static final String FIRST = "pre-";
    static final String DEPENDENT = "dep-";
    static final String LIMITED = "lim-";

    private static final int EVERY = 20;
    /** Of so many groups, one has a master. */
    private static final int FAN_OUT_EVERY = 5;

    private static final int COPIES = 3;
    private static final int COPIES_APART = 4;
    private static final int LIMITED_KEYS = 40;

    private FeatureTasks() {}

    /** The key of the next task, and how long it takes. */
    record Chosen(String key, long millis) {}

    /** Returns the task with this number if it is one of these. */
    static @Nullable Chosen of(int number, Random random) {
        int group = number / EVERY;
        return switch (number % EVERY) {
            case 1, 1 + COPIES_APART, 1 + 2 * COPIES_APART ->
                new Chosen(COPY + group + "-" + (1 + number % EVERY / COPIES_APART), 5 + random.nextInt(50));
            // One of those that wait is published before the one that they wait for.
            case 2 -> new Chosen(DEPENDENT + group + "-1", 5);
            case 3 -> new Chosen(FIRST + group, 5L + random.nextInt(400));
            case 4 -> new Chosen(DEPENDENT + group + "-2", 5);
            case 7 -> group % FAN_OUT_EVERY == 0 ? new Chosen(FanTasks.MASTER + group, 5L + random.nextInt(50)) : null;
            case 6, 10, 14, 18 -> new Chosen(LIMITED + random.nextInt(LIMITED_KEYS), 20L + random.nextInt(100));
            default -> null;
        };
    }

    /** Returns the deduplication key of a task; null if it has none. */
    public static @Nullable String dedupKey(String id) {
        return id.startsWith(COPY) || id.startsWith(FIRST) ? group(id) : null;
    }

    /** Returns the deduplication key of the task that a task waits for; null if it waits for none. */
    public static @Nullable String dependsOn(String id) {
        return id.startsWith(DEPENDENT) ? FIRST + group(id).substring(DEPENDENT.length()) : null;
    }

    /** Returns whether a task needs a permit. */
    public static boolean isLimited(String id) {
        return id.startsWith(LIMITED);
    }

    /** Returns whether a task may wait for others by design. */
    public static boolean waits(String id) {
        return isLimited(id) || dependsOn(id) != null || dedupKey(id) != null;
    }

    /** Returns the ids of a task and of its copies, of which one runs. */
    public static List<String> copies(String id) {
        return id.startsWith(COPY)
                ? IntStream.rangeClosed(1, COPIES)
                        .mapToObj(copy -> group(id) + "-" + copy + "-1")
                        .toList()
                : List.of(id);
    }

    static Map<String, String> headers(String id) {
        String dependsOn = dependsOn(id);
        return dependsOn == null ? Map.of() : Map.of(TaskHeaders.DEPENDS_ON, dependsOn);
    }

    private static String group(String id) {
        return id.substring(0, (id + "-").indexOf('-', COPY.length()));
    }
}
