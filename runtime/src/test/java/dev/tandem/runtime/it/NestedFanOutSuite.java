package dev.tandem.runtime.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.FanOut;
import dev.tandem.api.FanOutException;
import dev.tandem.api.FanOutResult;
import dev.tandem.api.FatalTaskException;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.client.TandemClient;
import dev.tandem.client.TaskSender;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.TaskState;
import dev.tandem.task.fanout.Subtask;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Subtasks that fan out themselves, over one kind of broker. */
abstract class NestedFanOutSuite extends FanOutTestBase {

    /** Outcomes of the runs of a part that fan out, in their order. */
    private final List<String> fannedOut = new CopyOnWriteArrayList<>();

    @Test
    void ofTwoCopiesOfASubtaskOneFansOut() throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        Master row = (number, task) -> {
            row(number, task);
            assertThat(open.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        };
        try (Tandem tandem = start(this::part, row)) {
            submit(tandem, 1);
            await().atMost(PATIENCE).until(() -> ran.size() == 2 && !ids.isEmpty());
            Subtask copy = new Subtask(ids.get(0), 0, 1, true);
            publish(tandem, copy);
            await().atMost(PATIENCE).until(() -> fannedOut.size() == 2);
            open.countDown();
            FanOutResult result = awaitResult();

            assertThat(fannedOut.get(0)).isEqualTo("2 rows");
            assertThat(fannedOut.get(1)).contains("A copy of subtask 0");
            assertThat(result.state()).isEqualTo(FanOutResult.State.COMPLETED);
            assertThat(result.succeeded()).isEqualTo(1);
            assertThat(ran.values())
                    .hasSize(2)
                    .allSatisfy(times -> assertThat(times).hasValue(1));
            await("though its handler returned")
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(registry.get("tandem.task.duplicates")
                                    .counter()
                                    .count())
                            .isEqualTo(1));
        }
    }

    @Test
    void aCopyOfASubtaskThatDiedDoesNotFanOutAndTheSubtaskDoesWhenAnOperatorRetriesIt() throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        AtomicBoolean away = new AtomicBoolean(true);
        Master part = (count, task) -> {
            if (count < 0 && away.compareAndSet(true, false)) {
                throw new FatalTaskException("The database is away");
            }
            part(count, task);
        };
        Master row = (number, task) -> {
            row(number, task);
            assertThat(open.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        };
        try (RedisStore store = SuiteRedis.of(source()).open();
                Tandem tandem = start(part, row)) {
            submit(tandem, 1);
            FanOutResult result = awaitResult();
            assertThat(result.failed()).isEqualTo(1);
            publish(tandem, new Subtask(ids.get(0), 0, 1, true));
            await().atMost(PATIENCE).until(() -> fannedOut.size() == 1);
            assertThat(fannedOut.get(0)).contains("A copy of subtask 0");

            await("the dead one is retried").atMost(PATIENCE).until(() -> retryDead(store, ids.get(0) + "-0"));
            await().atMost(PATIENCE).until(() -> fannedOut.size() == 2);
            open.countDown();
            assertThat(fannedOut.get(1)).isEqualTo("2 rows");
            assertThat(results).as("it counts as it ended first").hasSize(1);
        }
    }

    private boolean retryDead(RedisStore store, String id) {
        return store.inspector().tasks(queue, id, 10).join().stream()
                .filter(each -> each.state() == TaskState.DEAD)
                .anyMatch(each -> store.admin().retry(each).join() == Admin.Result.DONE);
    }

    private void part(Integer count, TaskContext task) throws InterruptedException {
        if (count > 0) {
            ids.add(task.fanOut(Stream.of(TaskRequest.of(queue, "import", -1)), done())
                    .id());
            return;
        }
        try {
            long rows = task.fanOut(Stream.of(subtask(1), subtask(2)), FanOut.withoutFinalTask())
                    .subtasks();
            fannedOut.add(rows + " rows");
        } catch (FanOutException e) {
            fannedOut.add(String.valueOf(e.getMessage()));
        }
    }

    /** Publishes a subtask once more. */
    private void publish(Tandem tandem, Subtask subtask) throws Exception {
        TaskSender sender = ((TandemClient) tandem.client()).sender();
        TaskRequest<?> request = TaskRequest.of(queue, "import", -1);
        CompletableFuture<Void> published = new CompletableFuture<>();
        sender.prepare(sender.encode(request, subtask.taskId(), Map.of(Subtask.HEADER, subtask.text())))
                .send(problem -> {
                    if (problem == null) {
                        published.complete(null);
                    } else {
                        published.completeExceptionally(problem);
                    }
                });
        published.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aSubtaskHasEndedWhenItsOwnSubtasksAndItsHandlerHave() throws IOException {
        AtomicLong lastEnd = new AtomicLong();
        try (Tandem tandem = start((count, task) -> {
            if (count < 0) {
                List<Integer> own =
                        IntStream.range(0, 5).mapToObj(n -> -count * 100 + n).toList();
                task.fanOut(own.stream().map(this::subtask), FanOut.withoutFinalTask());
                await("what it does behind its fan-out takes longer than its subtasks")
                        .atMost(PATIENCE)
                        .until(() -> ran.keySet().containsAll(own));
                lastEnd.set(System.nanoTime());
            } else {
                task.fanOut(IntStream.range(1, count).mapToObj(n -> TaskRequest.of(queue, "import", -n)), done());
            }
        })) {
            submit(tandem, 5);
            FanOutResult result = awaitResult();

            assertThat(result.succeeded()).isEqualTo(4);
            assertThat(ran).hasSize(20);
            assertThat(finalAt.get() - lastEnd.get()).isPositive();
        }
    }

    @Test
    void cancellingTheMasterInterruptsTheSubtasksOfItsSubtasks() throws Exception {
        int parts = 2;
        try (RedisStore store = SuiteRedis.of(source()).open();
                Tandem tandem = start((count, task) -> {
                    if (count < 0) {
                        fanOutIntoTwoSlowOnes(count, task);
                        return;
                    }
                    ids.add(task.id());
                    Stream<TaskRequest<?>> breaksOff = IntStream.rangeClosed(1, count + 1)
                            .mapToObj(n -> n <= count ? TaskRequest.of(queue, "import", -n) : awaitInterrupt());
                    task.fanOut(breaksOff, done());
                })) {
            submit(tandem, parts);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).hasSize(2 * parts));

            store.runningTasks().cancel(queue, ids.get(0)).join();
            FanOutResult result = awaitResult();

            assertThat(result.state()).isEqualTo(FanOutResult.State.ABANDONED);
            assertThat(result.why()).contains("its master was cancelled");
            assertThat(result.cancelled()).as("parts whose own subtasks ran").isEqualTo(parts);
            assertThat(ran.values()).allSatisfy(times -> assertThat(times).hasValue(1));
        }
    }

    private void fanOutIntoTwoSlowOnes(int count, TaskContext task) throws InterruptedException {
        task.fanOut(IntStream.range(0, 2).mapToObj(n -> subtask(SLOW - count * 10 + n)), FanOut.withoutFinalTask());
    }

    private static TaskRequest<?> awaitInterrupt() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new IllegalStateException("interrupted");
    }

    @Test
    void cancellingInterruptsTheSubtasksOfItsSubtasks() throws IOException {
        int parts = 3;
        try (RedisStore store = SuiteRedis.of(source()).open();
                Tandem tandem = start((count, task) -> {
                    if (count < 0) {
                        fanOutIntoTwoSlowOnes(count, task);
                    } else {
                        ids.add(task.fanOut(
                                        IntStream.rangeClosed(1, count)
                                                .mapToObj(n -> TaskRequest.of(queue, "import", -n)),
                                        done())
                                .id());
                    }
                })) {
            submit(tandem, parts);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).hasSize(2 * parts));
            await().atMost(PATIENCE).until(() -> !ids.isEmpty());

            store.fanOuts().cancel(ids.get(0), "asked for").join();
            FanOutResult result = awaitResult();

            assertThat(result.state()).isEqualTo(FanOutResult.State.CANCELLED);
            assertThat(result.cancelled()).as("parts whose own subtasks ran").isEqualTo(parts);
            assertThat(ran.values()).allSatisfy(times -> assertThat(times).hasValue(1));
        }
    }
}
