package dev.tandem.verify.load;

import dev.tandem.task.TaskHeaders;
import dev.tandem.verify.load.FeatureTasks.Chosen;
import dev.tandem.verify.load.HandlerInstruction.Outcome;
import java.time.Duration;
import java.util.Map;
import java.util.Random;

/**
 * Tasks that may end otherwise than by their handlers. {@code exp-2-17} expires if it has to wait for too long. An operator cancels
 * {@code canw-8-1} while it waits for its time, {@code canr-9-1} while it runs, behind which {@code canr-9-2} waits, and
 * {@code canm-7-2} while it waits in its executor behind {@code canm-7-1}.
 */
public final class EndedTasks {

    /** How long after it is due a task expires. */
    public static final Duration TTL = Duration.ofMillis(800);

    /** How long a task waits for its time that is cancelled meanwhile. */
    public static final Duration CANCELLED_BEFORE = Duration.ofSeconds(4);

    private static final String EXPIRING = "exp-";
    private static final String CANCELLED_WAITING = "canw-";
    private static final String CANCELLED_RUNNING = "canr-";
    private static final String CANCELLED_IN_MEMORY = "canm-";

    private static final int EXPIRING_KEYS = 3;
    private static final int EXPIRING_MILLIS = 250;
    private static final int RUNNING_MILLIS = 1_500;
    private static final int BEFORE_CANCELLED_MILLIS = 600;
    /** One in so many of those that may expire fails at first, and one is due later. */
    private static final int SPECIAL_EVERY = 8;

    private EndedTasks() {}

    /** Returns a task of a key whose tasks take about as long as there is between them, so that some expire. */
    static Chosen expiring(Random random) {
        String key = EXPIRING + random.nextInt(EXPIRING_KEYS);
        return switch (random.nextInt(SPECIAL_EVERY)) {
            case 0 -> new Chosen(key, Outcome.FAIL_ONCE, EXPIRING_MILLIS);
            case 1 -> new Chosen(key, Outcome.SUCCEED, EXPIRING_MILLIS, Duration.ofSeconds(1));
            default -> Chosen.of(key, EXPIRING_MILLIS);
        };
    }

    static Chosen cancelledWhileItWaits(int group) {
        return new Chosen(CANCELLED_WAITING + group, Outcome.SUCCEED, 5, CANCELLED_BEFORE);
    }

    static Chosen cancelledWhileItRuns(int group) {
        return Chosen.of(CANCELLED_RUNNING + group, RUNNING_MILLIS);
    }

    static Chosen behindCancelled(int group) {
        return Chosen.of(CANCELLED_RUNNING + group, 5);
    }

    static Chosen beforeCancelled(int group) {
        return Chosen.of(CANCELLED_IN_MEMORY + group, BEFORE_CANCELLED_MILLIS);
    }

    static Chosen cancelledInMemory(int group) {
        return Chosen.of(CANCELLED_IN_MEMORY + group, 5);
    }

    /** Returns whether a task may expire. */
    public static boolean mayExpire(String id) {
        return id.startsWith(EXPIRING);
    }

    /** Returns whether an operator cancels a task while it waits for its time. */
    public static boolean isCancelledWhileItWaits(String id) {
        return id.startsWith(CANCELLED_WAITING);
    }

    /** Returns whether an operator cancels a task while it runs. */
    public static boolean isCancelledWhileItRuns(String id) {
        return id.startsWith(CANCELLED_RUNNING) && id.endsWith("-1");
    }

    /** Returns whether an operator cancels a task while it waits in the memory of its executor. */
    public static boolean isCancelledInMemory(String id) {
        return id.startsWith(CANCELLED_IN_MEMORY) && id.endsWith("-2");
    }

    /** Returns whether an operator cancels a task. */
    public static boolean isCancelled(String id) {
        return isCancelledWhileItWaits(id) || isCancelledWhileItRuns(id) || isCancelledInMemory(id);
    }

    static Map<String, String> headers(String id) {
        return mayExpire(id) ? Map.of(TaskHeaders.TTL, Long.toString(TTL.toMillis())) : Map.of();
    }
}
