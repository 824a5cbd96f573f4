package dev.tandem.demo;

import dev.tandem.demo.DemoTask.PlannedEnd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Generates the tasks of some orders in the sequence in which they are published. The steps of an order share a key;
 * its reminders are delayed; its mails need no order. The invoices of a customer have a key too: one of those of the
 * first customer dies and halts that key, and the others wait behind it. The same seed gives the same workload.
 */
final class DemoWorkload {

    static final String ORDERS = "orders";
    static final String REMINDERS = "reminders";
    static final String MAILS = "mails";
    static final String INVOICES = "invoices";

    /** The queue of the tasks that come from {@link Firings}. */
    static final String REPORTS = "reports";

    static final List<String> STEPS = List.of("created", "paid", "packed", "shipped", "delivered");

    private static final String ORDER = "order-";
    private static final int INVOICES_OF_CUSTOMER = 5;

    /** The invoice of the first customer that dies. */
    private static final int DEAD_INVOICE = 1;

    private static final int INVOICE_MILLIS = 15;
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(12);

    private final Random random;
    private final boolean mails;
    private final String run;

    /**
     * @param mails whether to include mails, which need an AMQP broker
     * @param run tells the customers of this run from those of earlier ones with the same Redis, where one is still
     *     halted; may be empty
     */
    DemoWorkload(long seed, boolean mails, String run) {
        this.random = new Random(seed);
        this.mails = mails;
        this.run = run;
    }

    /** Returns the key that the dead invoice halts. */
    String haltedKey() {
        return customer(0);
    }

    private String customer(int number) {
        return "customer-" + run + (number + 1);
    }

    List<DemoTask> tasks(int orders) {
        List<DemoTask> tasks = new ArrayList<>();
        // Orders come in waves, so that every part of the run has all kinds of tasks and each key stays busy for a
        // while.
        int wave = 50; // each with the invoices of one customer
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
            for (int number = 0; number < INVOICES_OF_CUSTOMER; number++) {
                tasks.add(invoice(first / wave, number));
            }
        }
        return tasks;
    }

    /** Returns whether the task with this id is a step of an order, and so has a key. */
    static boolean isStep(String id) {
        return id.startsWith(ORDER);
    }

    private DemoTask invoice(int customer, int number) {
        PlannedEnd end = customer > 0 || number < DEAD_INVOICE
                ? PlannedEnd.SUCCEEDS
                : number == DEAD_INVOICE ? PlannedEnd.DIES : PlannedEnd.WAITS;
        String key = customer(customer);
        return new DemoTask(
                key + "-invoice-" + (number + 1), INVOICES, key, number, Duration.ZERO, INVOICE_MILLIS, 0, end);
    }

    private DemoTask step(int order, int step) {
        String key = ORDER + order;
        boolean dead = random.nextInt(200) == 0;
        int failures = dead ? 0 : random.nextInt(100) < 3 ? 1 + random.nextInt(2) : 0;
        return new DemoTask(
                key + "-" + STEPS.get(step),
                ORDERS,
                key,
                step,
                Duration.ZERO,
                2 + random.nextInt(20),
                failures,
                dead ? PlannedEnd.DIES : PlannedEnd.SUCCEEDS);
    }

    private DemoTask reminder(int order) {
        Duration delay = Duration.ofMillis(500 + random.nextInt((int) LONGEST_DELAY.toMillis() - 500));
        return new DemoTask("reminder-" + order, REMINDERS, null, 0, delay, 1, 0, PlannedEnd.SUCCEEDS);
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
                PlannedEnd.SUCCEEDS);
    }
}
