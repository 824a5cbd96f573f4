package dev.tandem.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Generates the tasks of some orders in the sequence in which they are published. The steps of an order share a key;
 * its reminders are delayed; its mails need no order. The same seed gives the same workload.
 */
final class DemoWorkload {

    static final String ORDERS = "orders";
    static final String REMINDERS = "reminders";
    static final String MAILS = "mails";

    static final List<String> STEPS = List.of("created", "paid", "packed", "shipped", "delivered");

    private static final String ORDER = "order-";
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(12);

    private final Random random;
    private final boolean mails;

    /** @param mails whether to include mails, which need an AMQP broker */
    DemoWorkload(long seed, boolean mails) {
        this.random = new Random(seed);
        this.mails = mails;
    }

    List<DemoTask> tasks(int orders) {
        List<DemoTask> tasks = new ArrayList<>();
        // Orders come in waves, so that every part of the run has all kinds of tasks and each key stays busy for a
        // while.
        int wave = 50;
        for (int first = 0; first < orders; first += wave) {
            for (int step = 0; step < STEPS.size(); step++) {
                for (int order = first; order < Math.min(orders, first + wave); order++) {
                    tasks.add(step(order, step));
                    if (step == 0) {
                        tasks.add(reminder(order));
                    }
                    if (mails && (step == 1 || step == 3)) {
                        tasks.add(mail(order, step));
                    }
                }
            }
        }
        return tasks;
    }

    /** Returns whether the task with this id is a step of an order, and so has a key. */
    static boolean isStep(String id) {
        return id.startsWith(ORDER);
    }

    private DemoTask step(int order, int step) {
        String key = ORDER + order;
        boolean dead = random.nextInt(200) == 0;
        int failures = dead ? 0 : random.nextInt(100) < 3 ? 1 + random.nextInt(2) : 0;
        return new DemoTask(
                key + "-" + STEPS.get(step), ORDERS, key, step, Duration.ZERO, 2 + random.nextInt(20), failures, dead);
    }

    private DemoTask reminder(int order) {
        Duration delay = Duration.ofMillis(500 + random.nextInt((int) LONGEST_DELAY.toMillis() - 500));
        return new DemoTask("reminder-" + order, REMINDERS, null, 0, delay, 1, 0, false);
    }

    private DemoTask mail(int order, int step) {
        boolean later = random.nextInt(5) == 0;
        Duration delay = later ? Duration.ofMillis(200 + random.nextInt(5_000)) : Duration.ZERO;
        int failures = random.nextInt(100) < 3 ? 1 : 0;
        return new DemoTask(
                "mail-" + order + "-" + STEPS.get(step),
                MAILS,
                null,
                0,
                delay,
                2 + random.nextInt(20),
                failures,
                false);
    }
}
