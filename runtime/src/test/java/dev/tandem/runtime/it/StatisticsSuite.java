package dev.tandem.runtime.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.FatalTaskException;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.statistics.QueueStatistics;
import dev.tandem.task.statistics.RunCount;
import dev.tandem.task.statistics.RunTally;
import dev.tandem.task.statistics.StatisticsStep;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The statistics of a queue, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class StatisticsSuite {

    private static final long SLOW_MILLIS = 200;

    private final String queue = UniqueNames.fresh("parcels");
    private final RedisStore store = SuiteRedis.of(source()).open();

    @TempDir
    private Path folder;

    /** Returns where the broker is: the setting's name and its value. */
    abstract Map.Entry<String, String> broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    @AfterEach
    void close() {
        store.close();
    }

    private Tandem start(boolean counting) throws IOException {
        Path settings = Files.writeString(folder.resolve("tandem.yml"), """
                %s: "%s"
                %s
                tandem.statistics.enabled: %s
                tandem.queues.%s: { source: %s, partitions: 2, max-attempts: 2, backoff.initial: 10ms }
                """.formatted(
                broker().getKey(), broker().getValue(), SuiteRedis.of(source()).yaml(), counting, queue, source()));
        return Tandem.connect(settings)
                .queue(queue)
                .handler("send", String.class, (what, task) -> {
                    if (what.equals("slow")) {
                        Thread.sleep(SLOW_MILLIS);
                    } else if (what.equals("rejected")) {
                        throw new FatalTaskException("no address");
                    } else if (what.equals("fails")) {
                        throw new IllegalStateException("no carrier");
                    }
                })
                .start();
    }

    private void submit(Tandem tandem, String what, TaskOptions... options) throws InterruptedException {
        tandem.client()
                .submit(TaskRequest.of(queue, "send", what).with(options))
                .await(PATIENCE);
    }

    private RunTally total() {
        // The longest range, so that no minute ends in between.
        QueueStatistics read = store.statistics()
                .read(queue, StatisticsStep.HOUR, 60, StatisticsStep.HOUR.most())
                .join();
        return read.total();
    }

    @Test
    void whatBecameOfRunsIsKnownWhileTheProgramRunsAndWhenItHasBeenStartedAgain() throws Exception {
        try (Tandem tandem = start(true)) {
            for (int i = 0; i < 8; i++) {
                submit(tandem, "quick");
            }
            submit(tandem, "slow");
            submit(tandem, "rejected");
            submit(tandem, "fails");
            submit(tandem, "quick", TaskOptions.delay("300ms"));
            await().atMost(PATIENCE).untilAsserted(() -> {
                RunTally total = total();
                assertThat(total.count(RunCount.SUCCEEDED)).isEqualTo(10);
                assertThat(total.count(RunCount.DEAD)).isEqualTo(2);
            });
        }
        try (Tandem tandem = start(true)) {
            submit(tandem, "quick");
            await().atMost(PATIENCE).until(() -> tandem.status().queues().get(0).succeeded() == 1);
        }
        RunTally total = total();
        assertThat(total.count(RunCount.SUCCEEDED)).isEqualTo(11);
        assertThat(total.count(RunCount.RETRIED)).isEqualTo(1);
        assertThat(total.count(RunCount.DEAD)).isEqualTo(2);
        assertThat(total.count(RunCount.STARTED)).as("two attempts of one").isEqualTo(14);
        assertThat(total.waits().count()).as("first starts").isEqualTo(13);
        assertThat(total.waits().percentileMicros(1)).isPositive();
        assertThat(total.runs().count()).isEqualTo(14);
        assertThat(total.runs().percentileMicros(1)).isGreaterThan(SLOW_MILLIS * 900.0);

        try (Tandem tandem = start(false)) {
            submit(tandem, "quick");
            await().atMost(PATIENCE).until(() -> tandem.status().queues().get(0).succeeded() == 1);
        }
        assertThat(total()).as("switched off").isEqualTo(total);
    }
}
