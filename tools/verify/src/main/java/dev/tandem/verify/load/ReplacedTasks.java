package dev.tandem.verify.load;

import dev.tandem.task.TaskHeaders;
import dev.tandem.verify.load.FeatureTasks.Chosen;
import dev.tandem.verify.load.HandlerInstruction.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Tasks of which the last one with a deduplication key runs: {@code last-7-1} to {@code last-7-3} with the mode {@code keep-last},
 * and {@code repl-8-1} to {@code repl-8-3} with the mode {@code replace}. Those of a group have one ordering key, so that it is
 * clear which comes last.
 */
public final class ReplacedTasks {

    /** How many tasks a group has. */
    public static final int COPIES = 3;

    private static final String KEEP_LAST = "last-";
    private static final String REPLACE = "repl-";

    private static final Duration OWN_DELAY = Duration.ofMillis(1_500);
    private static final Duration FIRST_DELAY = Duration.ofSeconds(2);

    private ReplacedTasks() {}

    /** Returns the next task of a group. With {@code replace} only the first one has a time of its own, which the last one waits for. */
    static Chosen of(int group, boolean first) {
        boolean replaces = group % 2 == 0;
        Duration delay = !replaces ? OWN_DELAY : first ? FIRST_DELAY : Duration.ZERO;
        return new Chosen((replaces ? REPLACE : KEEP_LAST) + group, Outcome.SUCCEED, 5, delay);
    }

    /** Returns the deduplication key of a task; null if it is none of these. */
    public static @Nullable String dedupKey(String id) {
        return replaces(id) || id.startsWith(KEEP_LAST) ? FeatureTasks.group(id) : null;
    }

    /** Returns whether a task has the mode {@code replace}. */
    public static boolean replaces(String id) {
        return id.startsWith(REPLACE);
    }

    /** Returns the ids of all tasks with a deduplication key, in the order of their publication. */
    public static List<String> ofKey(String dedupKey) {
        return IntStream.rangeClosed(1, COPIES)
                .mapToObj(copy -> dedupKey + "-" + copy)
                .toList();
    }

    static Map<String, String> headers(String id) {
        return dedupKey(id) == null ? Map.of() : Map.of(TaskHeaders.DEDUP_MODE, replaces(id) ? "replace" : "keep-last");
    }
}
