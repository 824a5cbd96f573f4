package dev.tandem.verify.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Makes up tasks, one after another: most are quick, some take a few hundred milliseconds; one in a hundred fails at first, and its key waits for it; one in
 * fifty is due later; now and then one lasts longer than a lease; and one key is dead from the beginning, with tasks behind
 * it. Everything follows from the seed, and from when it {@linkplain #easeOff eases off}. Not thread-safe.
 */
public final class TaskGenerator {

    /**
     * A task to be published.
     *
     * @param delay zero for one that is due at once
     */
    public record GeneratedTask(String id, String key, HandlerInstruction deed, Duration delay) {}

    /** The key that dies of its first task. */
    public static final String DEAD_KEY = "dead";

    private static final String SLOW_KEY = "slow-";
    private static final String LONG_KEY = "long-";
    private static final int KEYS = 100;
    private static final int DISTINCT = 1_000_000;
    private static final int QUICK_MILLIS = 5;
    private static final double FAILING = 0.01;
    /** Behind those that fail. */
    private static final double FOLLOWING = 0.03;

    private static final int FAILING_KEYS = 5;
    private static final double SCHEDULED = 0.02;
    /** So that some are always under way when something happens. */
    private static final double SLOW = 0.1;

    private static final int SLOW_MILLIS = 400;
    private static final int SLOW_KEYS = 40;
    private static final int DEAD_EVERY = 150;

    private final Workload workload;
    private final Random random;
    private final Duration lease;
    private final int longEvery;
    private final double[] cumulated = new double[KEYS];
    private final Map<String, Integer> numbers = new HashMap<>();
    /** Keys that fail, the last first. A hot key that failed often would never catch up, so they have names of their own. */
    private final List<String> failing = new ArrayList<>();

    private int made;
    private volatile boolean easy;

    /** @param longEvery one task in so many lasts longer than the lease; 0 for none */
    public TaskGenerator(Workload workload, Random random, Duration lease, int longEvery) {
        this.workload = workload;
        this.random = random;
        this.lease = lease;
        this.longEvery = longEvery;
        double sum = 0;
        for (int rank = 0; rank < KEYS; rank++) {
            sum += 1.0 / (rank + 1);
            cumulated[rank] = sum;
        }
    }

    /** Whether a task with this id takes a few hundred milliseconds, or more. */
    public static boolean lastsAWhile(String id) {
        return id.startsWith(SLOW_KEY) || id.startsWith(LONG_KEY);
    }

    /** From now on none fails, is due later or lasts longer than a lease: nobody waits for what the fault did not meet. Thread-safe. */
    public void easeOff() {
        easy = true;
    }

    /** The next one. */
    public GeneratedTask next() {
        int number = made++;
        if (!easy && longEvery > 0 && number % longEvery == longEvery / 2) {
            // The one behind it has to wait.
            return made(
                    LONG_KEY + number / longEvery / 2,
                    new HandlerInstruction(HandlerInstruction.Outcome.SUCCEED, lease.toMillis() * 3 / 2),
                    Duration.ZERO);
        }
        if (number % DEAD_EVERY == 0) {
            boolean first = number == 0 || !workload.isOrdered();
            return made(
                    DEAD_KEY,
                    new HandlerInstruction(
                            first ? HandlerInstruction.Outcome.DIE : HandlerInstruction.Outcome.SUCCEED, QUICK_MILLIS),
                    Duration.ZERO);
        }
        double dice = random.nextDouble();
        if (dice > 1 - SLOW) {
            long millis = SLOW_MILLIS / 2L + random.nextInt(SLOW_MILLIS);
            return made(
                    SLOW_KEY + random.nextInt(SLOW_KEYS),
                    new HandlerInstruction(HandlerInstruction.Outcome.SUCCEED, millis),
                    Duration.ZERO);
        }
        HandlerInstruction quick = new HandlerInstruction(HandlerInstruction.Outcome.SUCCEED, QUICK_MILLIS);
        if (dice < FAILING) {
            String key = "fails-" + number;
            failing.add(0, key);
            if (failing.size() > FAILING_KEYS) {
                failing.remove(FAILING_KEYS);
            }
            return made(
                    key,
                    easy ? quick : new HandlerInstruction(HandlerInstruction.Outcome.FAIL_ONCE, QUICK_MILLIS),
                    Duration.ZERO);
        }
        if (dice < FAILING + FOLLOWING && !failing.isEmpty()) {
            return made(failing.get(random.nextInt(failing.size())), quick, Duration.ZERO);
        }
        String key = "k" + (workload.isZipf() ? rank() : random.nextInt(DISTINCT));
        if (dice < FAILING + FOLLOWING + SCHEDULED && !easy) {
            long millis = 500 + (long) (random.nextDouble() * (lease.toMillis() * 2));
            return made(key, quick, Duration.ofMillis(millis));
        }
        return made(key, quick, Duration.ZERO);
    }

    private GeneratedTask made(String key, HandlerInstruction deed, Duration delay) {
        return new GeneratedTask(key + "-" + numbers.merge(key, 1, Integer::sum), key, deed, delay);
    }

    private int rank() {
        double at = random.nextDouble() * cumulated[KEYS - 1];
        int rank = 0;
        while (cumulated[rank] < at) {
            rank++;
        }
        return rank;
    }
}
