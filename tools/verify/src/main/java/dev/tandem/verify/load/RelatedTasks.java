package dev.tandem.verify.load;

import dev.tandem.task.TaskDependencies.Policy;
import dev.tandem.task.TaskHeaders;
import dev.tandem.verify.load.FeatureTasks.Chosen;
import dev.tandem.verify.load.HandlerInstruction.Outcome;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Tasks with deduplication keys, and tasks that wait for others. {@code dup-7-2-1} is the second copy with the deduplication key
 * {@code dup-7}, and {@code dep-9-1-1} waits for {@code pre-9}. In some groups the first copy that runs dies, which frees the key
 * for the last copy, or the awaited task dies.
 */
public final class RelatedTasks {

    /** For how long a task waits that does not go on when the awaited one has died. */
    static final String WAIT_LIMIT = "5s";

    private static final String COPY = "dup-";
    private static final String FIRST = "pre-";
    private static final String DEPENDENT = "dep-";

    private static final int COPIES = 4;
    /** In how many groups one has copies that die. */
    private static final int COPIES_DIE_EVERY = 4;
    /** In how many groups one has an awaited task that dies. */
    private static final int AWAITED_DIES_EVERY = 6;

    private RelatedTasks() {}

    /** Returns a copy with a deduplication key. The last one is published when the others have ended. */
    static Chosen copy(int group, int copy, Random random) {
        boolean dies = dies(group, COPIES_DIE_EVERY) && copy < COPIES;
        return new Chosen(COPY + group + "-" + copy, dies ? Outcome.DIE : Outcome.SUCCEED, 5 + random.nextInt(50));
    }

    static Chosen dependent(int group, int number) {
        return Chosen.of(DEPENDENT + group + "-" + number, 5);
    }

    static Chosen awaited(int group, Random random) {
        boolean dies = dies(group, AWAITED_DIES_EVERY);
        return new Chosen(FIRST + group, dies ? Outcome.DIE : Outcome.SUCCEED, 5L + random.nextInt(400));
    }

    private static boolean dies(int group, int every) {
        return group % every == every / 2;
    }

    /** Returns the deduplication key of a task; null if it has none. */
    public static @Nullable String dedupKey(String id) {
        return id.startsWith(COPY) || id.startsWith(FIRST) ? FeatureTasks.group(id) : null;
    }

    /** Returns the deduplication key of the task that a task waits for; null if it waits for none. */
    public static @Nullable String dependsOn(String id) {
        return id.startsWith(DEPENDENT) ? FIRST + FeatureTasks.group(id).substring(DEPENDENT.length()) : null;
    }

    /** Returns the id of the awaited task with this deduplication key. */
    public static String idOf(String awaited) {
        return awaited + "-1";
    }

    /** Returns what becomes of a task if the one that it waits for dies. */
    public static Policy policy(String id) {
        int group = FeatureTasks.number(id);
        return dies(group, AWAITED_DIES_EVERY) ? Policy.values()[group / AWAITED_DIES_EVERY % 3] : Policy.DIE;
    }

    /** Returns whether a task ends without a run because the one that it waits for dies. */
    public static boolean diesWithAwaited(String id) {
        return dependsOn(id) != null && dies(FeatureTasks.number(id), AWAITED_DIES_EVERY) && policy(id) != Policy.RUN;
    }

    /** Returns the ids of a task and of its copies, of which one runs unless it dies. */
    public static List<String> copies(String id) {
        return id.startsWith(COPY)
                ? IntStream.rangeClosed(1, COPIES)
                        .mapToObj(copy -> FeatureTasks.group(id) + "-" + copy + "-1")
                        .toList()
                : List.of(id);
    }

    /**
     * Returns the ids of the tasks of which one runs instead of this one, and its own. If copies die, the last one runs by itself.
     */
    public static List<String> insteadOf(String id) {
        boolean runsByItself = isLastCopy(id) && dies(FeatureTasks.number(id), COPIES_DIE_EVERY);
        return runsByItself ? List.of(id) : copies(id);
    }

    /** Returns whether a task is the last copy with its deduplication key, published when the others have ended. */
    public static boolean isLastCopy(String id) {
        return id.startsWith(COPY) && id.endsWith("-" + COPIES + "-1");
    }

    static Map<String, String> headers(String id) {
        String dependsOn = dependsOn(id);
        if (dependsOn == null) {
            return Map.of();
        }
        return diesWithAwaited(id)
                ? Map.of(
                        TaskHeaders.DEPENDS_ON, dependsOn,
                        TaskHeaders.DEPENDS_POLICY, text(policy(id)),
                        TaskHeaders.DEPENDS_TIMEOUT, WAIT_LIMIT)
                : Map.of(TaskHeaders.DEPENDS_ON, dependsOn, TaskHeaders.DEPENDS_POLICY, text(policy(id)));
    }

    private static String text(Policy policy) {
        return policy.name().toLowerCase(Locale.ROOT);
    }
}
