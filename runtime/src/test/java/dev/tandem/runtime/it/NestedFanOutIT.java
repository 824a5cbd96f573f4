package dev.tandem.runtime.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.FanOut;
import dev.tandem.api.FanOutResult;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A subtask that has fanned out ends without another run, or a patrol sees to what is within a fan-out. */
@Execution(ExecutionMode.CONCURRENT)
class NestedFanOutIT {

    private final String queue = UniqueNames.fresh("nested");
    private final List<FanOutResult> results = new CopyOnWriteArrayList<>();
    private final List<String> ids = new CopyOnWriteArrayList<>();

    private Tandem start() {
        return Tandem.builder()
                .kafka(Brokers.kafka().bootstrapServers())
                .redis(Brokers.redis().uri())
                .setting("tandem.history.succeeded-max", "0")
                .queue(queue)
                .setting("partitions", "2")
                .setting("backoff.initial", "1h")
                .setting("backoff.max", "1h")
                .handler("import", Integer.class, this::master)
                .handler("part", Integer.class, this::part)
                .handler("row", Integer.class, (number, task) -> {})
                .handler(
                        "done",
                        Integer.class,
                        (none, task) -> results.add(task.fanOutResult().orElseThrow()))
                .start();
    }

    private void master(int none, TaskContext task) throws InterruptedException {
        task.fanOut(
                Stream.of(TaskRequest.of(queue, "part", 0), TaskRequest.of(queue, "row", 0)),
                FanOut.then(TaskRequest.of(queue, "done", 0)));
    }

    /** Breaks off behind its third subtask, and waits for an hour. */
    private void part(int none, TaskContext task) throws InterruptedException {
        ids.add(task.id());
        task.fanOut(
                IntStream.range(0, 10).mapToObj(number -> {
                    if (number == 3) {
                        throw new IllegalStateException("The database is away");
                    }
                    return TaskRequest.of(queue, "row", number);
                }),
                FanOut.withoutFinalTask());
    }

    @Test
    void theFinalTaskComesSoonAfterAnOperatorCancelsTheSubtask() throws InterruptedException {
        try (RedisStore store = RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
                Tandem tandem = start()) {
            tandem.client().submit(TaskRequest.of(queue, "import", 0)).await(PATIENCE);
            await().atMost(PATIENCE).until(() -> !ids.isEmpty());
            await("the subtask waits for its next attempt, and is cancelled")
                    .atMost(PATIENCE)
                    .until(() -> cancel(store, ids.get(0)));

            await().atMost(PATIENCE).until(() -> !results.isEmpty());
            FanOutResult result = results.get(0);
            assertThat(result.subtasks()).isEqualTo(2);
            assertThat(result.succeeded()).isEqualTo(1);
            assertThat(result.failed()).as("its own fan-out was given up").isEqualTo(1);
            assertThat(result.errors())
                    .singleElement()
                    .satisfies(each -> assertThat(each.error())
                            .contains("of 3 subtasks 3 succeeded")
                            .contains("its master was cancelled"));
        }
    }

    /** The executor of a cancelled master was killed when it had given the fan-out up. */
    @Test
    void aPatrolCancelsWhatIsWithinAFanOutWhoseMasterWasCancelled() {
        List<String> ids = Stream.generate(NestedFanOutIT::id).limit(3).toList();
        try (RedisStore store = RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
                Tandem tandem = start()) {
            FanOutPlan plan = new FanOutPlan(
                    queue, "0/0:1", "m", "t", "", 1, FanOutPlan.Rule.COMPLETE, 0, "", new byte[0], 60_000, 100_000);
            ids.forEach(id -> ask(store, new FanOutRequest.Open(id, 1, plan)));
            ask(store, new FanOutRequest.Nest(ids.get(1), 0, ids.get(2)));
            ask(store, new FanOutRequest.Nest(ids.get(0), 0, ids.get(1)));
            ask(store, new FanOutRequest.Note(ids.get(0), 1, 1));
            ask(
                    store,
                    new FanOutRequest.Abandon(
                            ids.get(0), 1, FanOutRequest.End.CANCELLED, "its master was cancelled", true));
            ask(store, new FanOutRequest.Postpone(ids.get(0), 0));

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(ids)
                            .allMatch(
                                    id -> ask(store, new FanOutRequest.View(id)).cancelled()));
            assertThat(tandem.status().problems()).isEmpty();
        }
    }

    private static String id() {
        return UUID.randomUUID().toString().replace("-", "").substring(0, 20);
    }

    private static FanOutAnswer ask(RedisStore store, FanOutRequest request) {
        return store.fanOut(FanOutBuckets.of(request.id()), List.of(request))
                .toCompletableFuture()
                .join()
                .get(0);
    }

    private boolean cancel(RedisStore store, String id) {
        List<TaskView> found = store.inspector().tasks(queue, id, 1).join();
        return !found.isEmpty()
                && store.admin()
                                .delete(found.get(0).partition(), found.get(0).position())
                                .join()
                        == Admin.Result.DONE;
    }
}
