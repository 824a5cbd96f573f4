package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.BatchFailedException;
import dev.tandem.api.BatchHandler;
import dev.tandem.api.BatchOptions;
import dev.tandem.api.FatalTaskException;
import dev.tandem.api.Interceptor;
import dev.tandem.api.Result;
import dev.tandem.api.RetryLaterException;
import dev.tandem.api.TaskContext;
import dev.tandem.executor.RunBatch.Waiting;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BatchRunnerTest {

    private final RunnerFixture fixture = new RunnerFixture();
    private final List<String> calls = new ArrayList<>();
    private final List<String> measured = new ArrayList<>();
    private final List<Outcome> concluded = new ArrayList<>();
    private int starts;
    private boolean stops;
    private final QueueSpec.Builder spec = RunnerFixture.queue().timeout(Duration.ofSeconds(1));

    private final ExecutorMetrics metrics = new ExecutorMetrics() {
        @Override
        public void batch(String queue, String type, int size) {
            measured.add(queue + " " + type + " " + size);
        }

        @Override
        public void started(String queue, long waitMillis) {
            starts++;
        }

        @Override
        public void concluded(String queue, Outcome outcome) {
            concluded.add(outcome);
        }
    };

    private List<Outcome> run(BatchHandler code, Run... runs) {
        return run(code, fixture.clock.millis(), runs);
    }

    private List<Outcome> run(BatchHandler code, long since, Run... runs) {
        BatchedHandler handler = new BatchedHandler(code, BatchOptions.of(100, "50ms"));
        QueueSpec built = spec.handler("ship", handler).build();
        ExecutorContext context = TestContexts.of(fixture.clock, fixture.watchdog, TestContexts.TIMINGS, metrics);
        Gates gates = Gates.of(built, fixture.clock);
        TaskRunner alone = new TaskRunner(built, context, fixture.counters, gates, again -> {}, (run, outcome) -> {});
        if (stops) {
            alone.refuse();
        }
        List<Outcome> all = new ArrayList<>();
        BatchRunner runner = new BatchRunner(built, context, alone, gates, (ran, outcomes) -> {
            assertThat(ran).containsExactly(runs);
            all.addAll(outcomes);
        });
        Run first = runner.add(new RunBatch(
                handler,
                List.of(runs).stream().map(each -> new Waiting(each, since)).toList()));
        runner.run(first, fixture.slot);
        assertThat(fixture.slot.attempt()).isNull();
        return all;
    }

    private static Run[] ships(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> TestRuns.of(RunnerFixture.task("ship", "p" + i), i))
                .toArray(Run[]::new);
    }

    private List<Result> done(List<TaskContext> tasks) {
        calls.add(tasks.size() + " tasks");
        return Collections.nCopies(tasks.size(), Result.done());
    }

    @Test
    void oneCallRunsAllAndIsMeasured() {
        assertThat(run(this::done, ships(3))).hasSize(3).hasOnlyElementsOfType(Outcome.Succeeded.class);
        assertThat(calls).containsExactly("3 tasks");
        assertThat(measured).containsExactly("orders ship 3");
        assertThat(fixture.counters.succeeded.sum()).isEqualTo(3);
        assertThat(starts).isEqualTo(3);
        assertThat(concluded).hasSize(3).hasOnlyElementsOfType(Outcome.Succeeded.class);
    }

    @Test
    void eachTaskEndsAsItsResultSays() {
        List<Outcome> outcomes = run(
                tasks -> List.of(Result.done(), Result.again(Duration.ofSeconds(7), "busy"), Result.dead("no")),
                ships(3));

        assertThat(outcomes)
                .containsExactly(Outcome.Succeeded.INSTANCE, new Outcome.Retry(7_000, "busy"), new Outcome.Dead("no"));
    }

    @Test
    void onlyTheNamedTasksFailEachAsItsExceptionSays() {
        List<Outcome> outcomes = run(
                tasks -> {
                    throw new BatchFailedException(Map.of(
                            0, new RetryLaterException(Duration.ofSeconds(7), "busy"),
                            2, new FatalTaskException("no")));
                },
                ships(3));

        assertThat(outcomes.get(0))
                .isInstanceOfSatisfying(
                        Outcome.Retry.class,
                        retry -> assertThat(retry.delayMillis()).isEqualTo(7_000));
        assertThat(outcomes.get(1)).isInstanceOf(Outcome.Succeeded.class);
        assertThat(outcomes.get(2)).isInstanceOf(Outcome.Dead.class);
    }

    @Test
    void anErrorWhileOneTaskIsDecidedIsThatTasksAlone() {
        Exception undescribable = new Exception() {
            @Override
            public String toString() {
                throw new IllegalStateException("cannot be described");
            }
        };

        List<Outcome> outcomes = run(
                tasks -> {
                    throw new BatchFailedException(Map.of(1, undescribable));
                },
                ships(3));

        assertThat(outcomes.get(0)).isInstanceOf(Outcome.Succeeded.class);
        assertThat(outcomes.get(1))
                .isInstanceOfSatisfying(
                        Outcome.Retry.class, retry -> assertThat(retry.error()).contains("cannot be described"));
        assertThat(outcomes.get(2)).isInstanceOf(Outcome.Succeeded.class);
    }

    @Test
    void atAStopABatchThatWaitsGoesBackWithoutAnAttempt() {
        stops = true;

        assertThat(run(this::done, ships(3))).containsOnly(Outcome.NotStarted.INSTANCE);
        assertThat(calls).isEmpty();
    }

    @Test
    void anyOtherExceptionFailsAll() {
        List<Outcome> outcomes = run(
                tasks -> {
                    throw new IllegalStateException("down");
                },
                ships(2));

        assertThat(outcomes)
                .hasSize(2)
                .allSatisfy(each -> assertThat(each)
                        .isInstanceOfSatisfying(
                                Outcome.Retry.class,
                                retry -> assertThat(retry.error()).contains("down")));
    }

    @Test
    void aHandlerThatDoesNotSayHowEachTaskEndedFailsAll() {
        assertThat(run(tasks -> List.of(Result.done()), ships(2)))
                .allSatisfy(each -> assertThat(each)
                        .isInstanceOfSatisfying(
                                Outcome.Retry.class,
                                retry -> assertThat(retry.error()).contains("1 results for 2 tasks")));
    }

    @Test
    void aFailureOfNoTaskOfTheCallFailsAll() {
        assertThat(run(
                        tasks -> {
                            throw new BatchFailedException(Map.of(2, new IllegalStateException()));
                        },
                        ships(2)))
                .hasSize(2)
                .hasOnlyElementsOfType(Outcome.Retry.class);
    }

    @Test
    void aTaskWhoseClaimIsGoneIsNotInTheCall() {
        Run[] runs = ships(3);
        runs[1] = TestRuns.of(RunnerFixture.task("ship", "late"), 1, 1, fixture.clock.millis());

        assertThat(run(this::done, runs))
                .containsExactly(Outcome.Succeeded.INSTANCE, Outcome.NotStarted.INSTANCE, Outcome.Succeeded.INSTANCE);
        assertThat(calls).containsExactly("2 tasks");
    }

    @Test
    void theWaitCountsTowardsTheTimeoutAndAtTheFirstOneAllTimeOut() {
        fixture.watchdog.add(fixture.slot);
        long since = fixture.clock.millis();
        fixture.clock.advance(400);

        List<Outcome> outcomes = run(
                tasks -> {
                    assertThat(tasks)
                            .allSatisfy(each -> assertThat(each.batchSize()).isEqualTo(2));
                    fixture.clock.advance(599);
                    fixture.watchdog.check();
                    assertThat(tasks.get(1).isCancelled()).isFalse();
                    fixture.clock.advance(1);
                    fixture.watchdog.check();
                    assertThat(tasks)
                            .allSatisfy(each -> assertThat(each.isCancelled()).isTrue());
                    new CountDownLatch(1).await();
                    return List.of();
                },
                since,
                ships(2));

        assertThat(outcomes)
                .hasSize(2)
                .allSatisfy(each -> assertThat(each)
                        .isInstanceOfSatisfying(
                                Outcome.Retry.class,
                                retry -> assertThat(retry.error()).isEqualTo("timed out after 1000 ms")));
        assertThat(fixture.counters.timedOut.sum()).isEqualTo(2);
        assertThat(Thread.interrupted()).isFalse();
    }

    private void cancel(TaskContext... tasks) {
        for (TaskContext task : tasks) {
            assertThat(((Attempt) task).cancel()).isTrue();
            assertThat(task.isCancelled()).isTrue();
        }
    }

    @Test
    void oneTaskOfACallIsCancelledAndTheOthersGoOn() {
        List<Outcome> outcomes = run(
                tasks -> {
                    cancel(tasks.get(0), tasks.get(2));
                    assertThat(tasks.get(1).isCancelled()).isFalse();
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    // The third one was done already.
                    return List.of(Result.again(Duration.ofSeconds(1), "left out"), Result.done(), Result.done());
                },
                ships(3));
        assertThat(outcomes)
                .containsExactly(Outcome.Cancelled.INSTANCE, Outcome.Succeeded.INSTANCE, Outcome.Succeeded.INSTANCE);
        assertThat(fixture.counters.cancelled.sum()).isEqualTo(1);
    }

    @Test
    void aCallWhoseTasksAreAllCancelledIsInterrupted() {
        assertThat(run(
                        tasks -> {
                            cancel(tasks.get(1), tasks.get(0));
                            new CountDownLatch(1).await();
                            return List.of();
                        },
                        ships(2)))
                .containsOnly(Outcome.Cancelled.INSTANCE);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aCallThatFailsEndsItsCancelledTaskForGoodAndTriesTheOthersAgain() {
        Attempt[] cancelled = new Attempt[1];
        List<Outcome> outcomes = run(
                tasks -> {
                    cancelled[0] = (Attempt) tasks.get(0);
                    cancel(tasks.get(0));
                    assertThat(cancelled[0].cancel()).as("again").isFalse();
                    throw new IllegalStateException("down");
                },
                ships(2));
        assertThat(outcomes.get(0)).isEqualTo(Outcome.Cancelled.INSTANCE);
        assertThat(outcomes.get(1)).isInstanceOf(Outcome.Retry.class);
        assertThat(cancelled[0].cancel()).as("after its end").isFalse();
    }

    @Test
    void interceptorsAreAroundEachTaskAndSeeHowItEnds() {
        spec.interceptor((task, next) -> {
            String payload = new String(task.payload());
            calls.add("before " + payload);
            try {
                return next.handle(task);
            } catch (IllegalStateException e) {
                calls.add("failed " + payload);
                throw e;
            } finally {
                calls.add("after " + payload);
            }
        });
        List<Outcome> outcomes = run(
                tasks -> {
                    done(tasks);
                    throw new BatchFailedException(Map.of(1, new IllegalStateException("no")));
                },
                ships(2));

        assertThat(calls).containsExactly("before p0", "before p1", "2 tasks", "failed p1", "after p1", "after p0");
        assertThat(outcomes.get(0)).isInstanceOf(Outcome.Succeeded.class);
        assertThat(outcomes.get(1)).isInstanceOf(Outcome.Retry.class);
    }

    @Test
    void aTaskWhoseInterceptorDecidesIsNotInTheCallAndTheOthersAre() {
        spec.interceptor((task, next) -> {
            String payload = new String(task.payload());
            if (payload.equals("p0")) {
                return Result.dead("refused");
            } else if (payload.equals("p2")) {
                throw new FatalTaskException("refused too");
            }
            return next.handle(task);
        });

        List<Outcome> outcomes = run(this::done, ships(4));

        assertThat(calls).containsExactly("2 tasks");
        assertThat(outcomes)
                .extracting(each -> each.getClass().getSimpleName())
                .containsExactly("Dead", "Succeeded", "Dead", "Succeeded");
    }

    @Test
    void theLargestBatchFitsTheStackWithManyInterceptors() {
        Interceptor nothing = (task, next) -> next.handle(task);
        for (int i = 0; i < 8; i++) {
            spec.interceptor(nothing);
        }

        assertThat(run(this::done, ships(BatchOptions.LARGEST))).hasOnlyElementsOfType(Outcome.Succeeded.class);
        assertThat(calls).containsExactly(BatchOptions.LARGEST + " tasks");
    }
}
