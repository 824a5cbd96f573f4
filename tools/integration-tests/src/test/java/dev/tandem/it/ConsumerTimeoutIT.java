package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.executor.Executor;
import dev.tandem.executor.QueueSpec;
import dev.tandem.local.LocalAmqp;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.rabbit.RabbitSource;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.QueuePolicy;
import dev.tandem.testkit.Brokers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No message stays unacked for as long as the broker's {@code consumer_timeout}, whatever keeps its task waiting. */
@Execution(ExecutionMode.CONCURRENT)
class ConsumerTimeoutIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(16);
    /** The words of RabbitMQ when it closes a channel for a late ack. */
    private static final String LATE = "timed out";

    private static final int WAITING = 12;

    private static LocalAmqp rabbit;

    @BeforeAll
    static void startBroker() {
        rabbit = LocalAmqp.builder()
                .rabbitOnly()
                .setting("consumer_timeout", Long.toString(TIMEOUT.toMillis()))
                .start();
        // Otherwise the broker looks once a minute.
        rabbit.control("eval", "application:set_env(rabbit, channel_tick_interval, 500).");
    }

    @AfterAll
    static void stopBroker() {
        rabbit.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Execution(ExecutionMode.SAME_THREAD)
    void longPausedAndWaitingTasksKeepTheirChannels(boolean ordered) throws Exception {
        long before = lateAcks();
        try (RabbitTestQueue alone = queue("alone", ordered);
                RabbitTestQueue behind = queue("behind", ordered);
                RabbitTestQueue paused = queue("paused", ordered);
                Worker worker = new Worker(ordered, TIMEOUT, alone, behind, paused)) {
            alone.send("k", 0, "hold");
            behind.send("k", 0, "hold");
            alone.awaitStarted("k-0");
            behind.awaitStarted("k-0");
            worker.executor.pause(paused.name(), true);
            for (int key = 0; key < WAITING; key++) {
                behind.send("x" + key, 0, "ok");
                paused.send("x" + key, 0, "ok");
            }
            behind.flush();
            paused.flush();
            sleepLongerThan(TIMEOUT.multipliedBy(2));

            worker.release();
            worker.executor.pause(paused.name(), false);
            for (RabbitTestQueue queue : List.of(alone, behind, paused)) {
                queue.awaitAllSucceeded();
                queue.history().assertOrderAndExclusion();
                assertThat(queue.history().runs())
                        .as("each task of %s ran once", queue.name())
                        .hasSize(queue.expected().size());
            }
        }
        assertThat(lateAcks()).as("channels closed by the broker").isEqualTo(before);
    }

    /** Shows that the test above would notice. */
    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    void theBrokerClosesAChannelThatItWasNotToldOf() throws Exception {
        long before = lateAcks();
        try (RabbitTestQueue paused = queue("control", true);
                Worker worker = new Worker(true, Duration.ofMinutes(30), paused)) {
            worker.executor.pause(paused.name(), true);
            paused.send("k", 0, "ok");
            paused.flush();
            await("a late ack").atMost(TestQueue.PATIENCE).until(() -> lateAcks() > before);
            worker.executor.pause(paused.name(), false);
            paused.awaitAllSucceeded();
        }
    }

    /** The passing of time is what is tested here. */
    private static void sleepLongerThan(Duration time) throws InterruptedException {
        Thread.sleep(time.plusSeconds(2).toMillis());
    }

    private static RabbitTestQueue queue(String prefix, boolean ordered) {
        return new RabbitTestQueue(
                prefix, ordered, rabbit.address(), Brokers.redis().uri());
    }

    private static long lateAcks() throws IOException {
        try (var lines = Files.lines(rabbit.log())) {
            return lines.filter(line -> line.contains(LATE)).count();
        }
    }

    /** An executor that runs one task of each queue at a time. */
    private static final class Worker implements AutoCloseable {

        final Executor executor;
        private final RedisStore store =
                RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
        private final List<ScriptedHandler> handlers = new ArrayList<>();
        private final List<RunJournal> journals = new ArrayList<>();

        Worker(boolean ordered, Duration timeout, RabbitTestQueue... queues) {
            Executor.Builder builder = Executor.builder().drainTimeout(Duration.ofSeconds(10));
            for (RabbitTestQueue queue : queues) {
                builder.queue(spec(queue, ordered, timeout));
            }
            executor = builder.build();
            executor.start();
            Arrays.stream(queues).forEach(RabbitTestQueue::awaitDeclared);
        }

        private QueueSpec spec(RabbitTestQueue queue, boolean ordered, Duration timeout) {
            RabbitSettings settings = RabbitSettings.of(rabbit.address(), queue.name())
                    .withPartitions(TestWorker.RABBIT_PARTITIONS)
                    .withConsumerTimeout(timeout);
            Path journal = queue.newJournal();
            journals.add(new RunJournal(journal));
            ScriptedHandler handler = new ScriptedHandler(journals.get(journals.size() - 1));
            handlers.add(handler);
            return QueueSpec.queue(queue.name())
                    .source(new RabbitSource(ordered ? settings.orderedByHeader() : settings))
                    .store(store)
                    .policy(ordered ? QueuePolicy.ordered(1) : QueuePolicy.unordered(1))
                    .timeout(Duration.ofMinutes(5))
                    .defaultType("it")
                    .handler("it", handler::handle)
                    .build();
        }

        void release() {
            handlers.forEach(ScriptedHandler::release);
        }

        @Override
        public void close() {
            release();
            executor.stop();
            store.close();
            for (RunJournal journal : journals) {
                journal.close();
            }
        }
    }
}
