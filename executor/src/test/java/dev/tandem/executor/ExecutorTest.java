package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.executor.pull.PullPolicy;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.store.Registration.OperatorPause;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ExecutorTest {

    private static QueueSpec.Builder queue(String name, Source source, int concurrency) {
        return queue(name, source, new ScriptedStore(), concurrency);
    }

    private static QueueSpec.Builder queue(String name, Source source, ScriptedStore store, int concurrency) {
        return QueueSpec.queue(name)
                .source(source)
                .store(store)
                .policy(QueuePolicy.ordered(concurrency))
                .defaultType("any");
    }

    private static void deliver(ScriptedSource source, String queue, Task... tasks) {
        Partition partition = Partition.of(queue, 0);
        source.then(events -> events.assigned(partition, new Source.Facts(1, "t", 0, 0)));
        await().until(() -> source.calls.contains("open " + partition));
        for (int i = 0; i < tasks.length; i++) {
            Delivery delivery = Delivery.of(i, tasks[i]);
            long next = i + 1;
            source.then(events -> events.delivered(partition, List.of(delivery), next));
        }
    }

    @Test
    void runsAndStopsAllQueues() {
        ScriptedSource a = new ScriptedSource();
        ScriptedSource b = new ScriptedSource();
        AtomicInteger ran = new AtomicInteger();
        Executor executor = Executor.builder()
                .id("host")
                .settings(TestContexts.SETTINGS)
                .queue(queue("a", a, 2)
                        .action("any", task -> ran.incrementAndGet())
                        .build())
                .queue(queue("b", b, 2)
                        .action("any", task -> ran.incrementAndGet())
                        .build())
                .build();
        assertThat(executor.id()).startsWith("host-");
        executor.start();
        deliver(a, "a", Task.of("a", null, new byte[0]));
        deliver(b, "b", Task.of("b", null, new byte[0]));

        await().until(() -> ran.get() == 2);
        assertThat(executor.healthy()).isTrue();
        assertThat(executor.status()).extracting(QueueStatus::queue).containsExactly("a", "b");
        executor.stop();
        executor.stop();
        assertThat(executor.status()).allMatch(status -> status.state() == QueueStatus.State.STOPPED);
        assertThat(a.closed()).isTrue();
        assertThat(b.closed()).isTrue();
    }

    @Test
    void executorIsRegisteredInEachStoreWhileItRuns() {
        ScriptedStore one = new ScriptedStore();
        ScriptedStore two = new ScriptedStore();
        Executor executor = Executor.builder()
                .settings(TestContexts.SETTINGS)
                .queue(queue("a", new ScriptedSource(), one, 2).build())
                .queue(queue("b", new ScriptedSource(), two, 2).build())
                .queue(queue("c", new ScriptedSource(), two, 2).build())
                .build();
        assertThat(one.registrant).isNull();
        executor.start();
        assertThat(one.registrant.id()).isEqualTo(executor.id());
        assertThat(one.registrant.queues()).containsExactly("a");
        assertThat(two.registrant.queues()).containsExactlyInAnyOrder("b", "c");
        await().until(() -> two.registrant.shares().equals(Map.of("b", 0, "c", 0)));

        executor.stop();
        assertThat(one.registrant).isNull();
        assertThat(two.registrant).isNull();
    }

    @Test
    void pausedQueueStartsNothingUntilTheOperatorResumesIt() {
        ScriptedSource source = new ScriptedSource();
        ScriptedStore store = new ScriptedStore();
        store.knowsPauses = false;
        AtomicInteger ran = new AtomicInteger();
        try (Executor executor = Executor.builder()
                .settings(TestContexts.SETTINGS)
                .queue(queue("q", source, store, 2)
                        .action("any", task -> ran.incrementAndGet())
                        .build())
                .build()) {
            executor.start();
            deliver(source, "q", Task.of("q", null, new byte[0]));
            awaitWithheld(executor, "has not said yet");
            assertNothingRuns(source, ran, "unknown");

            store.registrant.paused("q", OperatorPause.YES);
            awaitWithheld(executor, "an operator has paused the queue");
            executor.pause("q", false);
            assertNothingRuns(source, ran, "paused");

            store.registrant.paused("q", OperatorPause.NO);
            await().until(() -> ran.get() == 1);
            assertThat(executor.status().get(0).withheld()).isNull();
        }
    }

    @Test
    void queueWhosePauseCannotBeToldStartsTasksAndSaysSo() {
        ScriptedSource source = new ScriptedSource();
        ScriptedStore store = new ScriptedStore();
        store.knowsPauses = false;
        AtomicInteger ran = new AtomicInteger();
        try (Executor executor = Executor.builder()
                .settings(TestContexts.SETTINGS)
                .queue(queue("q", source, store, 2)
                        .action("any", task -> ran.incrementAndGet())
                        .build())
                .build()) {
            executor.start();
            deliver(source, "q", Task.of("q", null, new byte[0]));
            awaitWithheld(executor, "has not said yet");
            store.registrant.paused("q", OperatorPause.UNKNOWN);
            await().until(() -> ran.get() == 1);
            awaitWithheld(executor, "whether the queue is paused cannot be told");
            assertThat(executor.status().get(0).slowed()).isFalse();

            store.registrant.paused("q", OperatorPause.NO);
            await().until(() -> executor.status().get(0).withheld() == null);
        }
    }

    @Test
    void queueThatIsPausedHereStaysSoWhenAnOperatorResumesIt() {
        ScriptedSource source = new ScriptedSource();
        ScriptedStore store = new ScriptedStore();
        AtomicInteger ran = new AtomicInteger();
        try (Executor executor = Executor.builder()
                .settings(TestContexts.SETTINGS)
                .queue(queue("q", source, store, 2)
                        .action("any", task -> ran.incrementAndGet())
                        .build())
                .build()) {
            executor.start();
            executor.pause("q", true);
            awaitWithheld(executor, "paused in this process");
            store.registrant.paused("q", OperatorPause.NO);
            deliver(source, "q", Task.of("q", null, new byte[0]));
            assertNothingRuns(source, ran, "paused");

            executor.pause("q", false);
            await().until(() -> ran.get() == 1);
        }
    }

    private static void awaitWithheld(Executor executor, String reason) {
        await().untilAsserted(
                        () -> assertThat(executor.status().get(0).withheld()).contains(reason));
    }

    /** Asserts that nothing ran by the time of two more polls of the source, between which the loop turns. */
    private static void assertNothingRuns(ScriptedSource source, AtomicInteger ran, String when) {
        for (int poll = 0; poll < 2; poll++) {
            String polled = when + poll;
            source.then(events -> source.calls.add(polled));
            await().until(() -> source.calls.contains(polled));
        }
        assertThat(ran).as(when).hasValue(0);
    }

    @Test
    void interruptsAHandlerAtItsTimeout() {
        ScriptedSource source = new ScriptedSource();
        AtomicReference<String> type = new AtomicReference<>();
        ExecutorMetrics metrics = new ExecutorMetrics() {
            @Override
            public void timedOut(String queue, String timedOut) {
                type.set(timedOut);
            }
        };
        try (Executor executor = Executor.builder()
                .settings(TestContexts.SETTINGS)
                .metrics(metrics)
                .queue(queue("q", source, 2)
                        .action("any", task -> new CountDownLatch(1).await())
                        .build())
                .build()) {
            executor.start();
            Task shortLived = new Task(null, "q", null, null, new byte[0], Map.of(), 0, 0, 20, 1, null);
            deliver(source, "q", shortLived);

            await().until(() -> executor.status().get(0).timedOut() == 1);
            await().until(() -> executor.status().get(0).dead() == 1);
            assertThat(type).hasValue("any");
        }
    }

    @Test
    void runsHandlersOnVirtualThreadsWhereJavaHasThem() {
        assumeThat(HandlerThreads.virtualAvailable()).isTrue();
        ScriptedSource source = new ScriptedSource();
        AtomicReference<Thread> ranOn = new AtomicReference<>();
        try (Executor executor = Executor.builder()
                .settings(TestContexts.SETTINGS)
                .queue(queue("q", source, 2)
                        .action("any", task -> ranOn.set(Thread.currentThread()))
                        .build())
                .build()) {
            executor.start();
            deliver(source, "q", Task.of("q", null, new byte[0]));
            await().until(() -> ranOn.get() != null);

            assertThat(ranOn.get().toString()).contains("VirtualThread");
        }
    }

    @Test
    void queuesThatRequestTooMuchConcurrencyGetTheirShare() {
        List<QueueSpec> queues = List.of(
                queue("a", new ScriptedSource(), 300).build(),
                queue("b", new ScriptedSource(), 100).build(),
                queue("c", new ScriptedSource(), 1).build(),
                queue("pulled", new ScriptedSource(), 1_000)
                        .pulled(PullPolicy.DEFAULTS)
                        .build());

        assertThat(new ConcurrencyShares(queues, 100).queues())
                .extracting(spec -> spec.policy().concurrency())
                .as("tasks of pull workers do not run here")
                .containsExactly(74, 24, 1, 1_000);
    }

    @Test
    void errorsNameTheQueueAndTheSetting() {
        ScriptedSource source = new ScriptedSource();
        QueueSpec a = queue("a", source, 1).build();
        assertThatThrownBy(() -> Executor.builder()
                        .queue(a)
                        .queue(queue("a", new ScriptedSource(), 1).build()))
                .hasMessageContaining("'a' is configured twice");
        assertThatThrownBy(() -> Executor.builder()
                        .queue(a)
                        .queue(queue("b", source, 1).build())
                        .build())
                .hasMessageContaining("'b' shares its source");
        assertThatThrownBy(() -> Executor.builder().concurrency(0)).hasMessageContaining("executor.concurrency is 0");
        assertThatThrownBy(() -> Executor.builder().drainTimeout(Duration.ofSeconds(-1)))
                .hasMessageContaining("executor.drain-timeout");
        assertThatThrownBy(() -> QueueSpec.queue("a b")).hasMessageContaining("'a b'");
        assertThatThrownBy(() -> QueueSpec.queue("a").maxAttempts(0)).hasMessageContaining("max-attempts");
        assertThatThrownBy(() -> QueueSpec.queue("a").action("t", task -> {}).action("t", task -> {}))
                .hasMessageContaining("two handlers for type 't'");
        assertThatThrownBy(() -> QueueSpec.queue("a").build()).hasMessageContaining("'a' has no source");
        Executor executor = Executor.builder().queue(a).build();
        assertThatThrownBy(() -> executor.pause("z", true)).hasMessageContaining("'z'");
    }
}
