package dev.tandem.verify.load;

import dev.tandem.verify.load.HandlerInstruction.Outcome;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The mix of tasks that use what Tandem has beside delays, retries and order. Their ids say which is which, so that events need
 * not: see {@link RelatedTasks}, {@link PacedTasks}, {@link ReplacedTasks}, {@link EndedTasks} and {@link FanTasks}. {@code
 * step-5-1} saves checkpoints, and tasks whose ids begin with {@code sched-} are fired by a schedule.
 */
public final class FeatureTasks {

    /** How many checkpoints a task saves that does so. */
    public static final int STEPS = 6;

    /** The time between two instants of the schedule. */
    public static final Duration SCHEDULE_INTERVAL = Duration.ofSeconds(1);

    private static final String STEPPING = "step-";
    private static final int STEPPING_MILLIS = 300;
    private static final String SCHEDULED = "sched-";

    /** The tasks of a group. About a third of them are ordinary ones. */
    private static final int EVERY = 30;
    /** Of so many groups, one has a master. */
    private static final int FAN_OUT_EVERY = 5;
    /** The last copy of a group comes so many groups later, which is some seconds. */
    private static final int LAST_COPY_AFTER = 15;

    private FeatureTasks() {}

    /** The key of the next task, what its handler does and for how long, and when it is due. */
    record Chosen(String key, Outcome outcome, long millis, Duration delay) {

        Chosen(String key, Outcome outcome, long millis) {
            this(key, outcome, millis, Duration.ZERO);
        }

        static Chosen of(String key, long millis) {
            return new Chosen(key, Outcome.SUCCEED, millis);
        }
    }

    /** Returns the task with this number if it is one of these. */
    static @Nullable Chosen of(int number, Random random) {
        int group = number / EVERY;
        return switch (number % EVERY) {
            case 1 -> RelatedTasks.copy(group, 1, random);
            // One of those that wait is published before the one that they wait for.
            case 2 -> RelatedTasks.dependent(group, 1);
            case 3 -> RelatedTasks.awaited(group, random);
            case 4 -> RelatedTasks.dependent(group, 2);
            case 5 -> RelatedTasks.copy(group, 2, random);
            case 6, 10, 14, 18 -> PacedTasks.limited(random);
            case 7 -> group % FAN_OUT_EVERY == 0 ? Chosen.of(FanTasks.MASTER + group, 5L + random.nextInt(50)) : null;
            case 8, 22 -> EndedTasks.expiring(random);
            case 9 -> RelatedTasks.copy(group, 3, random);
            case 11 -> rare(group);
            case 12 -> ReplacedTasks.of(group, true);
            case 13 -> group < LAST_COPY_AFTER ? null : RelatedTasks.copy(group - LAST_COPY_AFTER, 4, random);
            case 15, 19 -> ReplacedTasks.of(group, false);
            case 16, 20, 24 -> PacedTasks.rated(group, random);
            case 17 -> behindRare(group);
            default -> null;
        };
    }

    private static Chosen rare(int group) {
        return switch (group % 4) {
            case 0 -> EndedTasks.cancelledWhileItWaits(group);
            case 1 -> new Chosen(STEPPING + group, Outcome.FAIL_ONCE, STEPPING_MILLIS);
            case 2 -> EndedTasks.cancelledWhileItRuns(group);
            default -> EndedTasks.beforeCancelled(group);
        };
    }

    private static @Nullable Chosen behindRare(int group) {
        return switch (group % 4) {
            case 2 -> EndedTasks.behindCancelled(group);
            case 3 -> EndedTasks.cancelledInMemory(group);
            default -> null;
        };
    }

    /** Returns whether a task saves checkpoints. */
    public static boolean savesCheckpoints(String id) {
        return id.startsWith(STEPPING);
    }

    /** Returns the id of the schedule of a queue. */
    public static String schedule(String queue) {
        return SCHEDULED + queue;
    }

    /** Returns whether a task was fired by a schedule. */
    public static boolean isFired(String id) {
        return id.startsWith(SCHEDULED);
    }

    /** Returns the deduplication key of a task; null if it has none. */
    public static @Nullable String dedupKey(String id) {
        String key = RelatedTasks.dedupKey(id);
        return key != null ? key : ReplacedTasks.dedupKey(id);
    }

    /** Returns whether a task may wait for others, or for its turn, by design. */
    public static boolean waits(String id) {
        return PacedTasks.type(id) != null
                || RelatedTasks.dependsOn(id) != null
                || dedupKey(id) != null
                || EndedTasks.mayExpire(id)
                || savesCheckpoints(id);
    }

    /** Returns whether a task may end without a run: as a duplicate, expired, cancelled, or because another one died. */
    public static boolean mayEndWithoutRun(String id) {
        return dedupKey(id) != null
                || EndedTasks.mayExpire(id)
                || EndedTasks.isCancelled(id)
                || RelatedTasks.diesWithAwaited(id);
    }

    static @Nullable String type(String id) {
        return PacedTasks.type(id);
    }

    static Map<String, String> headers(String id) {
        Map<String, String> headers = new LinkedHashMap<>(RelatedTasks.headers(id));
        headers.putAll(PacedTasks.headers(id));
        headers.putAll(ReplacedTasks.headers(id));
        headers.putAll(EndedTasks.headers(id));
        return headers;
    }

    /** Returns the beginning of an id, with the number of its group. */
    static String group(String id) {
        return id.substring(0, (id + "-").indexOf('-', id.indexOf('-') + 1));
    }

    /** Returns the number of the group of a task. */
    static int number(String id) {
        String group = group(id);
        return Integer.parseInt(group.substring(group.indexOf('-') + 1));
    }
}
