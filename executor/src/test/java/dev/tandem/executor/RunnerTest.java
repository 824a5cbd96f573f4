package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Task;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RunnerTest {

    private final ManualTime time = new ManualTime();
    private final List<Attempt> stuck = new ArrayList<>();
    private final Watchdog watchdog = new Watchdog(time, 10_000, stuck::add);
    private final Quarantine quarantine = new Quarantine(time, watchdog::othersRun);
    private final Counters counters = new Counters();
    private final AtomicReference<Outcome> outcome = new AtomicReference<>();
    private final Slot slot = new Slot();

    private Runner runner(QueueSpec.Builder spec) {
        QueueSpec built = spec.source(new ScriptedSource())
                .store(new ScriptedStore())
                .policy(QueuePolicy.ordered(4))
                .build();
        return new Runner(
                built, time, watchdog, quarantine, ExecutorMetrics.NONE, counters, (run, ended) -> outcome.set(ended));
    }

    private Outcome run(QueueSpec.Builder spec, Run run) {
        runner(spec).run(run, slot);
        return outcome.get();
    }

    private static Task task(String type, String payload) {
        return new Task(
                null,
                "orders",
                type,
                "k",
                payload.getBytes(StandardCharsets.UTF_8),
                Map.of("h", "v"),
                0,
                0,
                0,
                0,
                null);
    }

    record Order(String id, int amount) {}

    @Test
    void aHandlerSeesItsTask() {
        AtomicReference<TaskContext> seen = new AtomicReference<>();
        QueueSpec.Builder spec = QueueSpec.queue("orders")
                .topic("orders-v1")
                .maxAttempts(5)
                .action("pay", task -> {
                    seen.set(task);
                    assertThat(task.payload(Order.class)).isEqualTo(new Order("o1", 7));
                    assertThat(task.isCancelled()).isFalse();
                });

        Outcome ended = run(spec, TestRuns.of(task("pay", "{\"id\":\"o1\",\"amount\":7}"), 12, 5, TestRuns.FOREVER));

        assertThat(ended).isEqualTo(Outcome.Succeeded.INSTANCE);
        TaskContext task = seen.get();
        assertThat(task.id()).isEqualTo("orders-v1:0:12");
        assertThat(task.queue()).isEqualTo("orders");
        assertThat(task.type()).isEqualTo("pay");
        assertThat(task.key()).isEqualTo("k");
        assertThat(task.headers()).containsEntry("h", "v");
        assertThat(task.attempt()).isEqualTo(5);
        assertThat(task.isLastAttempt()).isTrue();
        assertThat(task.token()).isEqualTo(112);
        assertThat(task.deadline())
                .hasValueSatisfying(
                        deadline -> assertThat(deadline.toEpochMilli()).isEqualTo(time.wallMillis() + 30_000));
    }

    @Test
    void aTaskFromTheStoreHasTheIdThatItHadFromItsTopic() {
        AtomicReference<String> seen = new AtomicReference<>();
        QueueSpec.Builder spec =
                QueueSpec.queue("orders").topic("orders-v1").action("pay", task -> seen.set(task.id()));

        run(spec, TestRuns.stored(task("pay", ""), 12));

        assertThat(seen).hasValue("orders-v1:0:12");
    }

    @Test
    void aDedupKeyIsKeptAndDoesNotStopATask() {
        QueueSpec.Builder spec = QueueSpec.queue("orders").action("pay", task -> {});
        Runner runner = runner(spec);
        Task task = new Task(
                null, "orders", "pay", null, new byte[0], Map.of("tandem-depends-on", "a"), 0, 0, 0, 0, "pay-1");

        for (int offset = 0; offset < 3; offset++) {
            runner.run(TestRuns.of(task, offset), slot);
            assertThat(outcome.getAndSet(null)).isEqualTo(Outcome.Succeeded.INSTANCE);
        }
    }

    @Test
    void aTaskWithoutATypeRunsAsTheQueuesOwn() {
        AtomicReference<String> seen = new AtomicReference<>();
        QueueSpec.Builder spec =
                QueueSpec.queue("orders").defaultType("pay").action("pay", task -> seen.set(task.type()));

        assertThat(run(spec, TestRuns.of(task(null, ""), 1))).isEqualTo(Outcome.Succeeded.INSTANCE);
        assertThat(seen).hasValue("pay");
    }

    @Test
    void anUnknownTypeIsDeadAndSaysWhichAreKnown() {
        QueueSpec.Builder spec =
                QueueSpec.queue("orders").action("pay", task -> {}).action("cancel", task -> {});

        assertThat(run(spec, TestRuns.of(task("refund", ""), 1)))
                .asInstanceOf(type(Outcome.Dead.class))
                .satisfies(dead -> assertThat(dead.error())
                        .contains("'refund'")
                        .contains("'orders'")
                        .contains("cancel, pay"));
    }

    @Test
    void aTaskWithoutATypeAndAQueueWithoutOneSayWhatToSet() {
        assertThat(run(QueueSpec.queue("orders").action("pay", task -> {}), TestRuns.of(task(null, ""), 1)))
                .asInstanceOf(type(Outcome.Dead.class))
                .satisfies(dead -> assertThat(dead.error()).contains("tandem-type"));
    }

    @Test
    void aFallbackTakesEveryOtherType() {
        AtomicReference<String> seen = new AtomicReference<>();
        QueueSpec.Builder spec = QueueSpec.queue("orders").fallback(Handler.of(task -> seen.set(task.type())));

        assertThat(run(spec, TestRuns.of(task("refund", ""), 1))).isEqualTo(Outcome.Succeeded.INSTANCE);
        assertThat(seen).hasValue("refund");
    }

    @Test
    void aPayloadThatCannotBeReadIsDeadAtOnce() {
        QueueSpec.Builder spec = QueueSpec.queue("orders").action("pay", task -> task.payload(Order.class));

        assertThat(run(spec, TestRuns.of(task("pay", "{not json"), 1)))
                .asInstanceOf(type(Outcome.Dead.class))
                .satisfies(dead ->
                        assertThat(dead.error()).contains(Order.class.getName()).contains("9 bytes"));
    }

    @Test
    void interceptorsWrapInOrder() {
        List<String> steps = new ArrayList<>();
        QueueSpec.Builder spec = QueueSpec.queue("orders")
                .action("pay", task -> steps.add("handler"))
                .interceptor((task, next) -> {
                    steps.add("outer");
                    Result result = next.handle(task);
                    steps.add("outer done");
                    return result;
                })
                .interceptor((task, next) -> {
                    steps.add("inner");
                    return next.handle(task);
                });

        run(spec, TestRuns.of(task("pay", ""), 1));

        assertThat(steps).containsExactly("outer", "inner", "handler", "outer done");
    }

    @Test
    void aRunPickedUpAfterItsLeaseIsNotStarted() {
        QueueSpec.Builder spec = QueueSpec.queue("orders").action("pay", task -> {
            throw new AssertionError("started without a lease");
        });

        assertThat(run(spec, TestRuns.of(task("pay", ""), 1, 1, time.millis()))).isEqualTo(Outcome.NotStarted.INSTANCE);
        assertThat(counters.notStarted.sum()).isEqualTo(1);
    }

    @Test
    void aTaskWhoseExecutorsDiedTooOftenIsDeadWithoutAnotherStart() {
        QueueSpec.Builder spec = QueueSpec.queue("orders").maxAttempts(3).action("pay", task -> {
            throw new AssertionError("started once too often");
        });

        assertThat(run(spec, TestRuns.of(task("pay", ""), 1, 4, TestRuns.FOREVER)))
                .asInstanceOf(type(Outcome.Dead.class))
                .satisfies(dead -> assertThat(dead.error()).contains("all 3 attempts"));
    }

    @Test
    void anErrorOfTheHandlerIsAFailedAttempt() {
        QueueSpec.Builder spec = QueueSpec.queue("orders").action("pay", task -> {
            throw new StackOverflowError();
        });

        assertThat(run(spec, TestRuns.of(task("pay", ""), 1))).isInstanceOf(Outcome.Retry.class);
    }

    @Test
    void aNullResultIsAFailedAttempt() {
        assertThat(run(QueueSpec.queue("orders").handler("pay", task -> null), TestRuns.of(task("pay", ""), 1)))
                .asInstanceOf(type(Outcome.Retry.class))
                .satisfies(retry -> assertThat(retry.error()).contains("returned null"));
    }

    @Test
    void metricsThatThrowChangeNoOutcome() {
        QueueSpec spec = QueueSpec.queue("orders")
                .source(new ScriptedSource())
                .store(new ScriptedStore())
                .policy(QueuePolicy.ordered(1))
                .action("pay", task -> {})
                .build();
        ExecutorMetrics broken = new ExecutorMetrics() {
            @Override
            public void finished(String queue, String type, Outcome ended, long runNanos) {
                throw new IllegalStateException("registry closed");
            }
        };

        new Runner(spec, time, watchdog, quarantine, broken, counters, (run, ended) -> outcome.set(ended))
                .run(TestRuns.of(task("pay", ""), 1), slot);

        assertThat(outcome).hasValue(Outcome.Succeeded.INSTANCE);
    }

    @Test
    void aHandlerIsInterruptedAtItsTimeoutAndTheAttemptFails() throws InterruptedException {
        QueueSpec.Builder spec = QueueSpec.queue("orders")
                .timeout(Duration.ofSeconds(30))
                .action("pay", task -> new CountDownLatch(1).await());
        Thread worker = new Thread(() -> run(spec, TestRuns.of(task("pay", ""), 1)));
        watchdog.add(slot);
        worker.start();
        awaitAttempt();

        assertThat(watchdog.look()).isEqualTo(time.millis() + 30_000);
        time.advance(29_999);
        watchdog.look();
        assertThat(slot.attempt()).isNotNull();
        time.advance(1);
        watchdog.look();
        worker.join();

        assertAgainBecause("timed out after 30000 ms");
        assertThat(counters.timedOut.sum()).isEqualTo(1);
        assertThat(watchdog.look()).as("nothing left to watch").isEqualTo(Attempt.NEVER);
    }

    @Test
    void aTasksOwnTimeoutGoesFirst() throws InterruptedException {
        QueueSpec.Builder spec =
                QueueSpec.queue("orders").timeout(Duration.ZERO).action("pay", task -> new CountDownLatch(1).await());
        Task own = new Task(null, "orders", "pay", null, new byte[0], Map.of(), 0, 0, 50, 0, null);
        Thread worker = new Thread(() -> run(spec, TestRuns.of(own, 1)));
        watchdog.add(slot);
        worker.start();
        awaitAttempt();
        time.advance(50);
        watchdog.look();
        worker.join();

        assertAgainBecause("timed out after 50 ms");
    }

    @Test
    void aHandlerThatReturnsAfterItsInterruptHasStillTimedOut() throws InterruptedException {
        QueueSpec.Builder spec = QueueSpec.queue("orders").action("pay", task -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Thread worker = new Thread(() -> {
            run(spec, TestRuns.of(task("pay", ""), 1));
            // A second run on the same thread sees nothing of the first one's interrupt.
            run(
                    QueueSpec.queue("orders").action("pay", task -> {
                        if (Thread.currentThread().isInterrupted()) {
                            throw new AssertionError("an interrupt leaked into the next run");
                        }
                    }),
                    TestRuns.of(task("pay", ""), 2));
        });
        watchdog.add(slot);
        worker.start();
        awaitAttempt();
        time.advance(30_000);
        watchdog.look();
        worker.join();

        assertThat(counters.timedOut.sum()).isEqualTo(1);
        assertThat(counters.retried.sum()).isEqualTo(1);
        assertThat(counters.succeeded.sum()).isEqualTo(1);
    }

    @Test
    void aHandlerThatIgnoresItsInterruptIsReportedOnce() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        QueueSpec.Builder spec = QueueSpec.queue("orders").action("pay", task -> {
            boolean released = false;
            while (!released) {
                try {
                    go.await();
                    released = true;
                } catch (InterruptedException e) {
                    assertThat(task.isCancelled()).isTrue();
                }
            }
        });
        Thread worker = new Thread(() -> run(spec, TestRuns.of(task("pay", ""), 1)));
        watchdog.add(slot);
        worker.start();
        awaitAttempt();

        time.advance(30_000);
        watchdog.look();
        time.advance(9_999);
        watchdog.look();
        assertThat(stuck).isEmpty();
        time.advance(1);
        watchdog.look();
        time.advance(60_000);
        watchdog.look();
        assertThat(stuck).hasSize(1);

        go.countDown();
        worker.join();
        assertAgainBecause("timed out after 30000 ms");
    }

    @Test
    void aHandlerInterruptedByTheProcessEndSpendsNoAttempt() throws InterruptedException {
        QueueSpec.Builder spec =
                QueueSpec.queue("orders").maxAttempts(1).action("pay", task -> new CountDownLatch(1).await());
        Thread worker = new Thread(() -> run(spec, TestRuns.of(task("pay", ""), 1)));
        worker.start();
        awaitAttempt();
        Watchdog.stop(List.of(slot));
        worker.join();

        assertThat(outcome).hasValue(Outcome.NotStarted.INSTANCE);
    }

    @Test
    void aRunThatOutlivesItsLeaseIsCancelledInItsHandlersEyes() {
        QueueSpec.Builder spec = QueueSpec.queue("orders").action("pay", task -> {
            assertThat(task.isCancelled()).isFalse();
            time.advance(11_000);
            assertThat(task.isCancelled()).isTrue();
        });

        assertThat(run(spec, TestRuns.of(task("pay", ""), 1, 1, time.millis() + 10_000)))
                .isEqualTo(Outcome.Succeeded.INSTANCE);
    }

    private void assertAgainBecause(String error) {
        assertThat(outcome.get())
                .asInstanceOf(type(Outcome.Retry.class))
                .satisfies(retry -> assertThat(retry.error()).isEqualTo(error));
    }

    private void awaitAttempt() {
        await().until(() -> slot.attempt() != null);
    }
}
