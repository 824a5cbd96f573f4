package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Outcome;
import dev.tandem.task.statistics.RunCount;
import dev.tandem.task.statistics.RunTally;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StatisticsWriterTest {

    private static final int THREADS = 8;
    private static final int EACH = 20_000;

    private static final class LossMetrics implements ExecutorMetrics, StatisticsMetrics {
        private long lost;
        private int finished;

        @Override
        public void lost(String queue, long runs) {
            lost += runs;
        }

        @Override
        public void finished(String queue, String type, Outcome outcome, long runNanos) {
            finished++;
        }
    }

    private final List<RunTally> written = new ArrayList<>();
    private CompletableFuture<?> answer = CompletableFuture.completedFuture(null);

    private StatisticsWriter writer(ExecutorMetrics metrics) {
        return new StatisticsWriter(
                Set.of("orders"),
                (queue, tally) -> {
                    assertThat(queue).isEqualTo("orders");
                    written.add(tally);
                    return answer;
                },
                metrics);
    }

    private static void run(ExecutorMetrics metrics, Outcome outcome) {
        metrics.started("orders", 20);
        metrics.ended(new RunMeasurement("orders", "ship", 1, outcome, 3_000_000, 20, false));
        metrics.concluded("orders", outcome);
    }

    @Test
    void everythingIsWrittenOnceWhileItIsCounted() throws InterruptedException {
        StatisticsWriter writer = writer(ExecutorMetrics.NONE);
        AtomicInteger ended = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> {
                for (int run = 0; run < EACH; run++) {
                    run(writer, Outcome.Succeeded.INSTANCE);
                }
                ended.incrementAndGet();
            });
            threads.add(thread);
            thread.start();
        }
        while (ended.get() < THREADS) {
            writer.write();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        writer.close();

        RunTally sum = written.stream().reduce(RunTally.EMPTY, RunTally::plus);
        assertThat(sum.count(RunCount.STARTED)).isEqualTo(THREADS * EACH);
        assertThat(sum.count(RunCount.SUCCEEDED)).isEqualTo(THREADS * EACH);
        assertThat(sum.waits().count()).isEqualTo(THREADS * EACH);
        assertThat(sum.runs().count()).isEqualTo(THREADS * EACH);
        assertThat(sum.waits().percentileMicros(0.5)).isBetween(18_000.0, 22_000.0);
        assertThat(sum.runs().percentileMicros(0.5)).isBetween(2_700.0, 3_300.0);
    }

    @Test
    void outcomesAreToldApart() {
        StatisticsWriter writer = writer(ExecutorMetrics.NONE);
        run(writer, new Outcome.Retry(1, "no"));
        run(writer, new Outcome.Dead("no"));
        writer.concluded("orders", new Outcome.Expired(null));
        writer.concluded("orders", Outcome.NotStarted.INSTANCE);
        writer.started("orders", RunMeasurement.UNKNOWN);
        writer.write();

        RunTally tally = written.get(0);
        assertThat(tally.count(RunCount.STARTED)).isEqualTo(3);
        assertThat(tally.waits().count()).as("of first starts").isEqualTo(2);
        assertThat(tally.count(RunCount.RETRIED)).isEqualTo(1);
        assertThat(tally.count(RunCount.DEAD)).isEqualTo(1);
        assertThat(tally.count(RunCount.EXPIRED)).isEqualTo(1);
        assertThat(tally.count(RunCount.SUCCEEDED)).isZero();
    }

    @Test
    void nothingIsWrittenWhereNothingHappened() {
        StatisticsWriter writer = writer(ExecutorMetrics.NONE);
        writer.concluded("orders", Outcome.NotStarted.INSTANCE);
        writer.started("unknown queue", 1);
        writer.write();
        writer.close();
        assertThat(written).isEmpty();
    }

    @Test
    void whatRedisDoesNotTakeIsLostAndCounted() {
        LossMetrics metrics = new LossMetrics();
        StatisticsWriter writer = writer(metrics);
        answer = CompletableFuture.failedFuture(new IllegalStateException("away"));
        run(writer, Outcome.Succeeded.INSTANCE);
        run(writer, Outcome.Succeeded.INSTANCE);
        writer.write();
        answer = CompletableFuture.completedFuture(null);
        run(writer, Outcome.Succeeded.INSTANCE);
        writer.write();

        assertThat(written).hasSize(2);
        assertThat(written.get(1).count(RunCount.STARTED)).isEqualTo(1);
        assertThat(metrics.lost).isEqualTo(2);
        assertThat(metrics.finished).as("all measurements are passed on").isEqualTo(3);
    }

    @Test
    void atMostOneRequestOfAQueueIsOnItsWay() {
        StatisticsWriter writer = writer(ExecutorMetrics.NONE);
        CompletableFuture<?> slow = new CompletableFuture<>();
        answer = slow;
        run(writer, Outcome.Succeeded.INSTANCE);
        writer.write();
        run(writer, Outcome.Succeeded.INSTANCE);
        writer.write();
        assertThat(written).hasSize(1);

        slow.complete(null);
        writer.write();
        assertThat(written).hasSize(2);
        assertThat(written.get(1).count(RunCount.STARTED)).isEqualTo(1);
    }
}
