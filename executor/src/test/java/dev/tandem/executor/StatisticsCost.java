package dev.tandem.executor;

import dev.tandem.task.Outcome;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Measures what statistics cost the thread of a handler. No test: has a main method. Prints processor time for each run, while
 * another thread counts runs of the same queue.
 */
final class StatisticsCost {

    private static final int RUNS = 2_000_000;
    private static final int ROUNDS = 9;

    private StatisticsCost() {}

    public static void main(String... args) throws InterruptedException {
        StatisticsWriter writer = new StatisticsWriter(
                Set.of("orders"), (queue, tally) -> CompletableFuture.completedFuture(null), ExecutorMetrics.NONE);
        for (int round = 1; round <= ROUNDS; round++) {
            Thread other = new Thread(() -> nanos(writer));
            other.start();
            double nanos = nanos(writer);
            other.join();
            writer.write();
            System.out.println(String.format(Locale.ROOT, "round %d: %.0f ns of processor time a run", round, nanos));
        }
        writer.close();
    }

    private static double nanos(StatisticsWriter writer) {
        Outcome outcome = Outcome.Succeeded.INSTANCE;
        long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        for (int i = 0; i < RUNS; i++) {
            writer.started("orders", i & 1023);
            writer.ended(new RunMeasurement("orders", "ship", 1, outcome, (i & 0xfffffL) << 8, 5, false));
            writer.concluded("orders", outcome);
        }
        return (double) (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before) / RUNS;
    }
}
