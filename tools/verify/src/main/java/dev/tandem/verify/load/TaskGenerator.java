package dev.tandem.verify.load;

import dev.tandem.verify.load.HandlerInstruction.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Generates tasks. Most are quick, one in ten takes a few hundred milliseconds. One in a hundred fails at first, and
 * tasks of its key wait behind it. One in fifty is due later. If so configured, some take longer than a lease. One key
 * is dead from the beginning, with tasks behind it. Everything follows from the seed and from the moment of {@link
 * #onlyQuickTasks}. Not thread-safe.
 */
public final class TaskGenerator {

    /**
     * A task to be published.
     *
     * @param delay zero if the task is due at once
     */
    public record GeneratedTask(String id, String key, HandlerInstruction instruction, Duration delay) {}

    /** The key whose first task dies. */
    public static final String DEAD_KEY = "dead";

    private static final String SLOW_KEY = "slow-";
    private static final String LONG_KEY = "long-";
    private static final int ZIPF_KEYS = 100;
    private static final int DISTINCT_KEYS = 1_000_000;
    private static final int QUICK_MILLIS = 5;
    private static final double FAILING = 0.01;
    /** Share of the tasks that follow one that fails. */
    private static final double FOLLOWING = 0.03;

    private static final int FAILING_KEYS = 5;
    private static final double SCHEDULED = 0.02;
    /** Share of slow tasks: enough that some are always active when a fault is injected. */
    private static final double SLOW = 0.1;

    private static final int SLOW_MILLIS = 400;
    private static final int SLOW_KEYS = 40;
    private static final int DEAD_EVERY = 150;

    /** A key whose tasks take about twice as long as there is between two of them, at 200 tasks a second. */
    private static final String HOT_KEY = "hot";

    private static final int HOT_EVERY = 10;
    private static final int HOT_MILLIS = 100;

    /** Keys whose first task fails once, with many more behind it than may be parked. */
    private static final String CROWD_KEY = "crowd-";

    private static final int CROWD_EVERY = 400;
    private static final int CROWD = 200;

    /** Keys with one task, which dies. */
    private static final String DYING_KEY = "dying-";

    private static final int DYING_EVERY = 4;

    private final Workload workload;
    private final Random random;
    private final Duration lease;
    private final int longEvery;
    private final double[] zipfWeights = new double[ZIPF_KEYS];
    private final Map<String, Integer> tasksOfKey = new HashMap<>();
    /** Keys with a failing task, the latest first. They are not among the busy keys, which could never catch up. */
    private final List<String> failingKeys = new ArrayList<>();

    private int generated;
    private volatile boolean onlyQuick;

    /** @param longEvery one task in so many takes longer than the lease; 0 for none */
    public TaskGenerator(Workload workload, Random random, Duration lease, int longEvery) {
        this.workload = workload;
        this.random = random;
        this.lease = lease;
        this.longEvery = longEvery;
        double sum = 0;
        for (int rank = 0; rank < ZIPF_KEYS; rank++) {
            sum += 1.0 / (rank + 1);
            zipfWeights[rank] = sum;
        }
    }

    /** Returns whether the task with this id takes a few hundred milliseconds or more. */
    public static boolean isLong(String id) {
        return id.startsWith(SLOW_KEY) || id.startsWith(LONG_KEY);
    }

    /**
     * Generates no more tasks that fail, are due later or take longer than a lease, so that the trial need not wait for
     * tasks that the fault did not affect. Thread-safe.
     */
    public void onlyQuickTasks() {
        onlyQuick = true;
    }

    /** Returns whether the key of this task is halted by its death, or by that of an earlier task. */
    public static boolean isHalted(String id) {
        return id.startsWith(DEAD_KEY + "-") || id.startsWith(DYING_KEY);
    }

    /** Returns the next task. */
    public GeneratedTask next() {
        int number = generated++;
        GeneratedTask special = onlyQuick && !workload.hasFeatures() ? null : special(number);
        if (special != null) {
            return special;
        }
        if (!onlyQuick && longEvery > 0 && number % longEvery == longEvery / 2) {
            // Two tasks share a key, so the second one has to wait.
            return task(
                    LONG_KEY + number / longEvery / 2,
                    new HandlerInstruction(Outcome.SUCCEED, lease.toMillis() * 3 / 2),
                    Duration.ZERO);
        }
        if (number % DEAD_EVERY == 0 && !workload.overflows()) {
            boolean dies = number == 0 || !workload.isOrdered();
            return task(
                    DEAD_KEY,
                    new HandlerInstruction(dies ? Outcome.DIE : Outcome.SUCCEED, QUICK_MILLIS),
                    Duration.ZERO);
        }
        return ordinaryTask(number);
    }

    private @Nullable GeneratedTask special(int number) {
        return switch (workload.special()) {
            case HOT_SLOW ->
                number % HOT_EVERY == 0
                        ? task(HOT_KEY, new HandlerInstruction(Outcome.SUCCEED, HOT_MILLIS), Duration.ZERO)
                        : null;
            case CROWDS -> {
                boolean first = number % CROWD_EVERY == 0;
                boolean one = number % CROWD_EVERY < CROWD && number % 2 == 0;
                Outcome outcome = first ? Outcome.FAIL_ONCE : Outcome.SUCCEED;
                yield one
                        ? task(
                                CROWD_KEY + number / CROWD_EVERY,
                                new HandlerInstruction(outcome, QUICK_MILLIS),
                                Duration.ZERO)
                        : null;
            }
            case MANY_DEAD ->
                number % DYING_EVERY == 0
                        ? task(DYING_KEY + number, new HandlerInstruction(Outcome.DIE, QUICK_MILLIS), Duration.ZERO)
                        : null;
            case FEATURES -> {
                FeatureTasks.Chosen chosen = FeatureTasks.of(number, random);
                yield chosen == null
                        ? null
                        : task(chosen.key(), new HandlerInstruction(chosen.outcome(), chosen.millis()), chosen.delay());
            }
            case NONE, OUTBOX -> null;
        };
    }

    private GeneratedTask ordinaryTask(int number) {
        double dice = random.nextDouble();
        if (dice > 1 - SLOW) {
            long millis = SLOW_MILLIS / 2L + random.nextInt(SLOW_MILLIS);
            return task(
                    SLOW_KEY + random.nextInt(SLOW_KEYS),
                    new HandlerInstruction(Outcome.SUCCEED, millis),
                    Duration.ZERO);
        }
        HandlerInstruction quick = new HandlerInstruction(Outcome.SUCCEED, QUICK_MILLIS);
        if (dice < FAILING) {
            String key = "fails-" + number;
            addFailingKey(key);
            return task(
                    key, onlyQuick ? quick : new HandlerInstruction(Outcome.FAIL_ONCE, QUICK_MILLIS), Duration.ZERO);
        }
        if (dice < FAILING + FOLLOWING && !failingKeys.isEmpty()) {
            return task(failingKeys.get(random.nextInt(failingKeys.size())), quick, Duration.ZERO);
        }
        String key = "k" + (workload.isZipf() ? zipfRank() : random.nextInt(DISTINCT_KEYS));
        if (dice < FAILING + FOLLOWING + SCHEDULED && !onlyQuick) {
            long millis = 500 + (long) (random.nextDouble() * (lease.toMillis() * 2));
            return task(key, quick, Duration.ofMillis(millis));
        }
        return task(key, quick, Duration.ZERO);
    }

    private void addFailingKey(String key) {
        failingKeys.add(0, key);
        if (failingKeys.size() > FAILING_KEYS) {
            failingKeys.remove(FAILING_KEYS);
        }
    }

    private GeneratedTask task(String key, HandlerInstruction instruction, Duration delay) {
        return new GeneratedTask(key + "-" + tasksOfKey.merge(key, 1, Integer::sum), key, instruction, delay);
    }

    private int zipfRank() {
        double at = random.nextDouble() * zipfWeights[ZIPF_KEYS - 1];
        int rank = 0;
        while (zipfWeights[rank] < at) {
            rank++;
        }
        return rank;
    }
}
