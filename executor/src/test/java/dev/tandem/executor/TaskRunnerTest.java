package dev.tandem.executor;

import static dev.tandem.executor.RunnerFixture.queue;
import static dev.tandem.executor.RunnerFixture.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.AttemptRecord;
import dev.tandem.task.Delivery;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.UnhandledSince;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TaskRunnerTest {

    private final RunnerFixture fixture = new RunnerFixture();
    private final ManualClock clock = fixture.clock;

    private Outcome run(QueueSpec.Builder spec, Run run) {
        return fixture.run(spec, run);
    }

    record Order(String id, int amount) {}

    @Test
    void aHandlerSeesEverythingOfItsTask() {
        AtomicReference<TaskContext> seen = new AtomicReference<>();
        QueueSpec.Builder spec = queue().topic("orders-v1").maxAttempts(5).action("pay", task -> {
            seen.set(task);
            assertThat(task.payload(Order.class)).isEqualTo(new Order("o1", 7));
            assertThat(task.isCancelled()).isFalse();
        });

        Outcome ended = run(spec, TestRuns.of(task("pay", "{\"id\":\"o1\",\"amount\":7}"), 12, 5, TestRuns.FOREVER));

        assertThat(ended).isEqualTo(Outcome.Succeeded.INSTANCE);
        TaskContext task = seen.get();
        assertThat(task.id()).isEqualTo("orders-v1:0:12");
        assertThat(task.position()).isEqualTo("0/1:12");
        assertThat(task.dedupKey()).isNull();
        assertThat(task.queue()).isEqualTo("orders");
        assertThat(task.type()).isEqualTo("pay");
        assertThat(task.key()).isEqualTo("k");
        assertThat(task.headers()).containsEntry("h", "v");
        assertThat(task.attempt()).isEqualTo(5);
        assertThat(task.isLastAttempt()).isTrue();
        assertThat(task.token()).isEqualTo(112);
        assertThat(task.deadline())
                .hasValueSatisfying(
                        deadline -> assertThat(deadline.toEpochMilli()).isEqualTo(clock.wallMillis() + 30_000));
    }

    @Test
    void aRunSaysWhenItsHandlerRanAndForHowLong() {
        Run run = TestRuns.of(task("pay", ""), 12);
        long began = clock.wallMillis();
        run(queue().action("pay", task -> clock.advance(40)), run);
        assertThat(run.startedAt()).isEqualTo(began);
        assertThat(run.durationMillis()).isEqualTo(40);
    }

    @Test
    void aHandlerDoesNotSeeTheAttemptsThatTravelWithItsTask() {
        AtomicReference<Map<String, String>> seen = new AtomicReference<>();
        Task failed = AttemptHistory.with(task("pay", ""), new AttemptRecord(1, 5, 1, "web-1", "no"));
        run(queue().action("pay", task -> seen.set(task.headers())), TestRuns.of(failed, 12));
        assertThat(seen.get()).isEqualTo(Map.of("h", "v"));
    }

    @Test
    void aTaskFromTheStoreKeepsTheIdOfItsRecord() {
        AtomicReference<String> seen = new AtomicReference<>();
        QueueSpec.Builder spec = queue().topic("orders-v1").action("pay", task -> seen.set(task.id()));

        run(spec, TestRuns.stored(task("pay", ""), 12));

        assertThat(seen).hasValue("orders-v1:0:12");
    }

    @Test
    void anUnreadableTaskDiesWithoutARunOfItsHandler() {
        AtomicReference<String> seen = new AtomicReference<>();
        QueueSpec.Builder spec = queue().action("pay", task -> seen.set(task.id()));
        Delivery unreadable =
                new Delivery(1, task("pay", ""), "header 'tandem-delay' has the value 'a while'", null, false);

        assertThat(run(spec, TestRuns.of(unreadable.asTaskThatDies().task(), 1)))
                .isEqualTo(new Outcome.Dead("header 'tandem-delay' has the value 'a while'"));
        assertThat(seen).hasValue(null);
        assertThat(fixture.counters.failedAttempts.sum())
                .as("says nothing about what handlers call")
                .isZero();
    }

    @Test
    void aTaskWithoutATypeRunsAsTheDefaultType() {
        AtomicReference<String> seen = new AtomicReference<>();
        QueueSpec.Builder spec = queue().defaultType("pay").action("pay", task -> seen.set(task.type()));

        assertThat(run(spec, TestRuns.of(task(null, ""), 1))).isEqualTo(Outcome.Succeeded.INSTANCE);
        assertThat(seen).hasValue("pay");
    }

    @Test
    void aTaskOfAnUnknownTypeIsTriedAgainForTheGraceWithoutAnAttempt() {
        QueueSpec.Builder spec = queue().unhandledPolicy(new UnhandledPolicy(Duration.ofMinutes(1), true))
                .action("pay", task -> {});

        Outcome first = run(spec, TestRuns.of(task("refund", ""), 1));

        assertThat(first).asInstanceOf(type(Outcome.Unhandled.class)).satisfies(unhandled -> {
            assertThat(unhandled.since()).isEqualTo(clock.wallMillis());
            assertThat(unhandled.error()).contains("'refund'").contains("pay").doesNotContain("did you mean");
        });
        assertThat(run(spec, TestRuns.of(task("payy", ""), 1)))
                .asInstanceOf(type(Outcome.Unhandled.class))
                .satisfies(unhandled -> assertThat(unhandled.error()).contains("did you mean 'pay'?"));
        Task later = UnhandledSince.with(task("refund", ""), clock.wallMillis() - 60_000, clock.wallMillis());
        assertThat(run(spec, TestRuns.of(later, 1))).isInstanceOf(Outcome.Dead.class);
        assertThat(fixture.counters.failedAttempts.sum()).isZero();
    }

    @Test
    void withoutAGraceATaskOfAnUnknownTypeIsDeadAndTheErrorNamesTheKnownTypes() {
        QueueSpec.Builder spec = queue().unhandledPolicy(new UnhandledPolicy(Duration.ZERO, true))
                .action("pay", task -> {})
                .action("cancel", task -> {});

        assertThat(run(spec, TestRuns.of(task("refund", ""), 1)))
                .asInstanceOf(type(Outcome.Dead.class))
                .satisfies(dead -> assertThat(dead.error())
                        .contains("'refund'")
                        .contains("'orders'")
                        .contains("cancel, pay"));
    }

    @Test
    void aTaskWithoutAnyTypeIsDeadAndTheErrorNamesTheHeaderToSend() {
        QueueSpec.Builder spec = queue().unhandledPolicy(new UnhandledPolicy(Duration.ZERO, true))
                .action("pay", task -> {});
        assertThat(run(spec, TestRuns.of(task(null, ""), 1)))
                .asInstanceOf(type(Outcome.Dead.class))
                .satisfies(dead -> assertThat(dead.error()).contains("tandem-type"));
    }

    @Test
    void theFallbackRunsEveryOtherType() {
        AtomicReference<String> seen = new AtomicReference<>();
        QueueSpec.Builder spec = queue().fallback(Handler.of(task -> seen.set(task.type())));

        assertThat(run(spec, TestRuns.of(task("refund", ""), 1))).isEqualTo(Outcome.Succeeded.INSTANCE);
        assertThat(seen).hasValue("refund");
    }

    @Test
    void aPayloadThatCannotBeReadIsDeadAtOnce() {
        QueueSpec.Builder spec = queue().action("pay", task -> task.payload(Order.class));

        assertThat(run(spec, TestRuns.of(task("pay", "{not json"), 1)))
                .asInstanceOf(type(Outcome.Dead.class))
                .satisfies(dead ->
                        assertThat(dead.error()).contains(Order.class.getName()).contains("9 bytes"));
    }

    @Test
    void interceptorsWrapInOrder() {
        List<String> steps = new ArrayList<>();
        QueueSpec.Builder spec = queue().action("pay", task -> steps.add("handler"))
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
    void aRunIsNotStartedAfterItsLease() {
        QueueSpec.Builder spec = queue().action("pay", task -> {
            throw new AssertionError("started without a lease");
        });

        assertThat(run(spec, TestRuns.of(task("pay", ""), 1, 1, clock.millis())))
                .isEqualTo(Outcome.NotStarted.INSTANCE);
        assertThat(fixture.counters.notStarted.sum()).isEqualTo(1);
    }

    /** The other lines may quote a payload: those of the http handler have the answer of the endpoint. */
    @Test
    void onlyTheFirstLineOfAnErrorIsLogged() {
        Logger logger = (Logger) LoggerFactory.getLogger(TaskRunner.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        logger.addAppender(logged);
        logger.setLevel(Level.DEBUG);
        try {
            QueueSpec.Builder spec = queue().handler("dead", task -> Result.dead("HTTP status 410\nsecret"))
                    .handler("again", task -> Result.again(Duration.ZERO, "HTTP status 503\nsecret"));
            run(spec, TestRuns.of(task("dead", ""), 1));
            run(spec, TestRuns.of(task("again", ""), 1));
        } finally {
            logger.detachAppender(logged);
            logger.setLevel(null);
        }

        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("HTTP status").doesNotContain("secret"));
    }

    @Test
    void failedAttemptsAreLoggedAndAFloodOfThemIsCounted() {
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(TaskRunner.class);
        logged.start();
        logger.addAppender(logged);
        logger.setLevel(Level.INFO);
        try {
            TaskRunner runner = fixture.runner(
                    queue().handler("pay", task -> Result.again(Duration.ofSeconds(2), "HTTP status 503")));
            for (int i = 0; i < 100; i++) {
                runner.run(TestRuns.of(task("pay", ""), 1), fixture.slot);
            }
            runner.logLeftOut(false);
            assertThat(logged.list).as("within ten seconds").hasSize(5);

            fixture.clock.advance(10_000);
            runner.logLeftOut(false);
            runner.logLeftOut(true);
        } finally {
            logger.detachAppender(logged);
            logger.setLevel(null);
        }

        assertThat(logged.list)
                .hasSize(6)
                .allSatisfy(event -> assertThat(event.getLevel()).isEqualTo(Level.INFO));
        assertThat(logged.list.get(0).getFormattedMessage())
                .contains("orders", "attempt 1")
                .endsWith("failed and will be retried in 2000 ms: HTTP status 503");
        assertThat(logged.list.get(5).getFormattedMessage())
                .isEqualTo("Queue orders: 95 more failed attempts were not logged");
    }

    @Test
    void aTaskCannotHaveMoreAttemptsThanItsQueueAllows() {
        Task greedy = new Task(null, "orders", "pay", null, new byte[0], Map.of(), 0, 0, 0, 1_000_000, null);
        QueueSpec.Builder spec = queue().maxAttempts(3).action("pay", task -> {
            assertThat(task.maxAttempts()).isGreaterThan(2);
            throw new IllegalStateException("fails");
        });

        assertThat(run(spec, TestRuns.of(greedy, 1, 3, TestRuns.FOREVER)))
                .asInstanceOf(type(Outcome.Dead.class))
                .satisfies(dead -> assertThat(dead.error()).contains("attempt 3 of 3 was the last"));
        assertThat(run(spec.maxAttemptsLimit(5), TestRuns.of(greedy, 1, 5, TestRuns.FOREVER)))
                .asInstanceOf(type(Outcome.Dead.class))
                .satisfies(dead -> assertThat(dead.error()).contains("attempt 5 of 5 was the last"));
    }

    @Test
    void aTaskWhoseLastAttemptLapsedIsDeadWithoutAnotherStart() {
        QueueSpec.Builder spec = queue().maxAttempts(3).action("pay", task -> {
            throw new AssertionError("started once too often");
        });

        assertThat(run(spec, TestRuns.of(task("pay", ""), 1, 4, TestRuns.FOREVER)))
                .asInstanceOf(type(Outcome.Dead.class))
                .satisfies(dead -> assertThat(dead.error()).contains("all 3 attempts"));
    }

    @Test
    void anErrorThrownByAHandlerIsAFailedAttempt() {
        QueueSpec.Builder spec = queue().action("pay", task -> {
            throw new StackOverflowError();
        });

        assertThat(run(spec, TestRuns.of(task("pay", ""), 1))).isInstanceOf(Outcome.Retry.class);
    }

    @Test
    void aNullResultIsAFailedAttempt() {
        assertThat(run(queue().handler("pay", task -> null), TestRuns.of(task("pay", ""), 1)))
                .asInstanceOf(type(Outcome.Retry.class))
                .satisfies(retry -> assertThat(retry.error()).contains("returned null"));
    }

    @Test
    void metricsThatThrowChangeNoOutcome() {
        ExecutorMetrics broken = new ExecutorMetrics() {
            @Override
            public void finished(String queue, String type, Outcome ended, long runNanos) {
                throw new IllegalStateException("registry closed");
            }

            @Override
            public void started(String queue, long waitMillis) {
                throw new IllegalStateException("registry closed");
            }

            @Override
            public void concluded(String queue, Outcome ended) {
                throw new IllegalStateException("registry closed");
            }
        };

        fixture.runner(queue().action("pay", task -> {}), broken).run(TestRuns.of(task("pay", ""), 1), fixture.slot);

        assertThat(fixture.outcome).hasValue(Outcome.Succeeded.INSTANCE);
    }

    @Test
    void aHandlerSeesThatItsLeaseRanOut() {
        QueueSpec.Builder spec = queue().action("pay", task -> {
            assertThat(task.isCancelled()).isFalse();
            clock.advance(11_000);
            assertThat(task.isCancelled()).isTrue();
        });

        assertThat(run(spec, TestRuns.of(task("pay", ""), 1, 1, clock.millis() + 10_000)))
                .isEqualTo(Outcome.Succeeded.INSTANCE);
    }

    @Test
    void aWorkerGoesOnWithARowUntilATaskFails() {
        List<String> handled = new ArrayList<>();
        QueueSpec.Builder spec = queue().action("pay", task -> {
            handled.add(new String(task.payload(), StandardCharsets.UTF_8));
            if (handled.size() == 2) {
                throw new IllegalStateException("not now");
            }
        });

        Outcome last = run(
                spec, TestRuns.row(List.of(task("pay", "a"), task("pay", "b"), task("pay", "c")), TestRuns.FOREVER));

        assertThat(handled).containsExactly("a", "b");
        assertThat(last).isInstanceOf(Outcome.Retry.class);
    }

    @Test
    void aWorkerEndsARowWhenItsTimeIsOver() {
        List<String> handled = new ArrayList<>();
        QueueSpec.Builder spec = queue().action("pay", task -> {
            handled.add(new String(task.payload(), StandardCharsets.UTF_8));
            clock.advance(6);
        });

        run(spec, TestRuns.row(List.of(task("pay", "a"), task("pay", "b"), task("pay", "c")), clock.millis() + 10));

        assertThat(handled).containsExactly("a", "b");
    }
}
