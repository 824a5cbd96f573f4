package dev.tandem.runtime.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.FatalTaskException;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.TaskState;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A patrol sees to a fan-out whose subtasks have all ended, and that only awaits its master, which is a subtask: nobody has told it
 * how that ended.
 */
@Execution(ExecutionMode.CONCURRENT)
class AwaitedMasterIT {

    private final String queue = UniqueNames.fresh("awaited");
    private final String outer = id();
    private final String inner = id();
    private final RedisStore store =
            RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
    private final Tandem tandem = Tandem.builder()
            .kafka(Brokers.kafka().bootstrapServers())
            .redis(Brokers.redis().uri())
            .queue(queue)
            .setting("partitions", "1")
            .handler("part", Integer.class, (number, task) -> {
                throw new FatalTaskException("no such file");
            })
            .start();

    @AfterEach
    void close() {
        tandem.close();
        store.close();
    }

    @Test
    void itDoesNotWaitForAMasterThatHasDied() throws InterruptedException {
        TaskView dead = submitted(TaskOptions.NONE, TaskState.DEAD);
        allSubtasksHaveEnded(dead.partition().name() + "/" + dead.position());

        aPatrolLooks();

        await().atMost(PATIENCE).until(() -> record(outer).phase() == Phase.COMPLETE);
        assertThat(record(outer).errors())
                .singleElement()
                .satisfies(each -> assertThat(each.error()).contains("its master has ended as dead"));
        assertThat(record(inner).failed()).as("its own subtasks succeeded").isZero();
    }

    @Test
    void itGoesOnWaitingForAMasterThatMayStillRun() throws InterruptedException {
        TaskView waits = submitted(TaskOptions.delay(Duration.ofHours(1)), TaskState.SCHEDULED);
        allSubtasksHaveEnded(waits.partition().name() + "/" + waits.position());

        aPatrolLooks();

        await().atMost(PATIENCE).until(() -> !store.fanOuts().due(1_000).join().contains(inner));
        assertThat(record(inner).awaitsOnlyMaster()).isTrue();
        assertThat(record(outer).ended()).isZero();
    }

    @Test
    void aMasterThatNobodyKnowsIsAwaitedForADay() {
        allSubtasksHaveEnded("0/0:1000000");

        aPatrolLooks();

        await().atMost(PATIENCE).until(() -> !store.fanOuts().due(1_000).join().contains(inner));
        assertThat(record(inner).awaitsOnlyMaster()).isTrue();

        String key = "tandem:{~fan-outs/" + FanOutBuckets.of(inner) + "}:" + inner;
        long since = record(inner).since() - Duration.ofDays(1).toMillis();
        Brokers.redis().commands().hset(key, "since", Long.toString(since));
        aPatrolLooks();

        await().atMost(PATIENCE).until(() -> record(outer).phase() == Phase.COMPLETE);
        assertThat(record(outer).succeeded()).isEqualTo(1);
    }

    private static String id() {
        return UUID.randomUUID().toString().replace("-", "").substring(0, 20);
    }

    /** Submits a task, and waits until the store knows it in a state. */
    private TaskView submitted(TaskOptions options, TaskState state) throws InterruptedException {
        tandem.client()
                .submit(TaskRequest.of(queue, "part", 0).with(options, TaskOptions.id("master")))
                .await(PATIENCE);
        await().atMost(PATIENCE)
                .until(() -> store.inspector().tasks(queue, "master", 1).join().stream()
                        .anyMatch(each -> each.state() == state));
        return store.inspector().tasks(queue, "master", 1).join().get(0);
    }

    /** Makes a fan-out with one subtask, which has fanned out itself, and whose own subtask has succeeded. */
    private void allSubtasksHaveEnded(String master) {
        ask(new FanOutRequest.Open(outer, 1, plan("0/0:0", "")));
        ask(new FanOutRequest.Nest(outer, 0, inner));
        ask(new FanOutRequest.Seal(outer, 1, 1));
        ask(new FanOutRequest.Open(inner, 1, plan(master, new Subtask(outer, 0, 1, false).text())));
        ask(new FanOutRequest.Seal(inner, 1, 1));
        ask(new FanOutRequest.Tell(inner, 0, End.SUCCEEDED, null));
        assertThat(record(inner).awaitsOnlyMaster()).isTrue();
    }

    private FanOutPlan plan(String master, String parent) {
        return new FanOutPlan(
                queue,
                master,
                "master",
                "part",
                parent,
                1,
                FanOutPlan.Rule.COMPLETE,
                0,
                "",
                new byte[0],
                600_000,
                100_000);
    }

    /** Has a patrol look now, and not in a minute. */
    private void aPatrolLooks() {
        ask(new FanOutRequest.Postpone(inner, 0));
    }

    private FanOutRecord record(String id) {
        return Objects.requireNonNull(ask(new FanOutRequest.View(id)).record());
    }

    private FanOutAnswer ask(FanOutRequest request) {
        return store.fanOut(FanOutBuckets.of(request.id()), List.of(request))
                .toCompletableFuture()
                .join()
                .get(0);
    }
}
