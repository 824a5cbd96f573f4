package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.task.store.TaskEnd;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Another process waits for the end of a task, and is told of it. It looks by itself only once, so each test is one of messages. */
class TaskEndsIT extends OperatorTestBase {

    private static final Duration LONG = Duration.ofSeconds(60);

    private RedisStore other;

    @BeforeEach
    void openOther() {
        other = RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
        other.taskEnds().lookOnlyOnce();
    }

    @AfterEach
    void closeOther() {
        other.close();
        owner.close();
    }

    private CompletableFuture<Optional<TaskView>> awaiting(String id) {
        CompletableFuture<Optional<TaskView>> end = other.taskEnds().await(queue, id, LONG);
        awaitHeard();
        return end;
    }

    /** Waits until the owner has heard that somebody waits. */
    private void awaitHeard() {
        await().until(() -> store.taskEnds().announcer().isAnyAwaited(queue));
    }

    private static TaskState state(CompletableFuture<Optional<TaskView>> end) {
        return get(end).orElseThrow().state();
    }

    private Task task(@Nullable String id, @Nullable String key) {
        return new Task(id, queue, null, key, new byte[] {1}, Map.of(), 0, 0, 0, 0, null);
    }

    private void settle(long offset, @Nullable String key, Verdict verdict) {
        long token = claim(offset, key);
        owner.settleAndClaim(
                List.of(new Settle(Position.of(0, offset), token, key, new SettledMark.Offset(offset), verdict, 0)),
                List.of());
    }

    private static SuccessRecord ended(String id, TaskEnd end) {
        return new SuccessRecord(id, "type", "key", 0, 1_800_000_000_000L, 0, "executor-one", null, end);
    }

    @Test
    void everyKindOfEndWakesWhoeverWaits() {
        CompletableFuture<Optional<TaskView>> success = awaiting("success");
        CompletableFuture<Optional<TaskView>> expired = awaiting("expired");
        CompletableFuture<Optional<TaskView>> cancelled = awaiting("cancelled");
        CompletableFuture<Optional<TaskView>> dead = awaiting("dead");
        CompletableFuture<Optional<TaskView>> unreadable = awaiting("unreadable");
        await().until(() -> store.taskEnds().announcer().isAwaited(queue, "unreadable"));

        succeed(Map.of(
                1L, kept("success", null),
                2L, ended("expired", TaskEnd.EXPIRED),
                3L, ended("cancelled", TaskEnd.CANCELLED)));
        long token = owner.token + 1;
        settle(4, "k", new Verdict.Dead(DeadHead.HALT, new Envelope(task("dead", "k"), 1, token, "boom").encode()));
        hand(List.of(new HandOver(
                Position.of(0, 5),
                null,
                new SettledMark.Offset(5),
                new Move.Bury(),
                new Envelope(task("unreadable", null), 0, 0, "bad").encode())));

        assertThat(state(success)).isEqualTo(TaskState.SUCCEEDED);
        assertThat(state(expired)).isEqualTo(TaskState.EXPIRED);
        assertThat(state(cancelled)).isEqualTo(TaskState.CANCELLED);
        assertThat(state(dead)).isEqualTo(TaskState.DEAD);
        assertThat(state(unreadable)).isEqualTo(TaskState.DEAD);
    }

    @Test
    void aTaskIsAwaitedByItsDefaultIdAndByItsPlace() {
        CompletableFuture<Optional<TaskView>> byDefault = awaiting("topic:0:1");
        CompletableFuture<Optional<TaskView>> byPlace = other.taskEnds().await(partition, Position.of(0, 2), LONG);
        await().until(() -> store.taskEnds().announcer().isAwaited(queue, "0:2"));

        succeed(Map.of(1L, kept(null, null), 2L, kept("two", null)));
        assertThat(get(byDefault).orElseThrow().position()).isEqualTo(Position.of(0, 1));
        assertThat(get(byPlace).orElseThrow().position()).isEqualTo(Position.of(0, 2));
    }

    @Test
    void aTaskOfAnotherPartitionWithTheSamePositionEndsNoWait() {
        CompletableFuture<Optional<TaskView>> elsewhere =
                other.taskEnds().await(Partition.of(queue, 1), Position.of(0, 2), Duration.ofSeconds(2));
        CompletableFuture<Optional<TaskView>> here = other.taskEnds().await(partition, Position.of(0, 2), LONG);
        await().until(() -> store.taskEnds().announcer().isAwaited(queue, "0:2"));

        succeed(Map.of(2L, kept("two", null)));
        assertThat(get(here).orElseThrow().partition()).isEqualTo(partition);
        assertThat(get(elsewhere)).isEmpty();
    }

    @Test
    void whatAnOperatorEndsIsToldToo() {
        hand(List.of(new HandOver(
                Position.of(0, 1),
                null,
                new SettledMark.Offset(1),
                new Move.Schedule(FAR),
                Envelope.of(task("scheduled", null)).encode())));
        halt("k", 2);
        hand(List.of(new HandOver(
                Position.of(0, 3),
                "k",
                new SettledMark.Offset(3),
                new Move.Park(),
                Envelope.of(task("parked", "k")).encode())));
        CompletableFuture<Optional<TaskView>> scheduled = awaiting("scheduled");
        CompletableFuture<Optional<TaskView>> parked = awaiting("parked");
        await().until(() -> other.taskEnds().seen(queue) == 2);
        assertThat(scheduled).isNotDone();

        get(store.admin().delete(partition, Position.of(0, 1), Admin.Deletion.WAITING));
        assertThat(state(scheduled)).isEqualTo(TaskState.CANCELLED);
        get(store.admin().drainKey(partition, "k"));
        assertThat(state(parked)).isEqualTo(TaskState.DEAD);
    }

    @Test
    void aTaskThatDoesNotEndInTimeIsReturnedAsItWasSeenLast() {
        schedule(1, FAR);
        assertThat(get(other.taskEnds().await(queue, "topic:0:1", Duration.ofMillis(500)))
                        .map(TaskView::state))
                .contains(TaskState.SCHEDULED);
        assertThat(get(other.taskEnds().await(queue, "unknown", Duration.ofMillis(100))))
                .isEmpty();
    }

    @Test
    void aTaskThatEndedBeforeAnybodyHeardWhoWaitsIsFoundAtOnce() {
        succeed(Map.of(1L, kept("done", null)));
        assertThat(state(other.taskEnds().await(queue, "done", LONG))).isEqualTo(TaskState.SUCCEEDED);
    }

    @Test
    void nothingIsToldOfTasksThatNobodyWaitsForUnlessTheyHaveResults() {
        List<String> messages = new CopyOnWriteArrayList<>();
        RedisClient client = RedisClient.create(Brokers.redis().uri());
        try (StatefulRedisPubSubConnection<String, String> connection = client.connectPubSub()) {
            connection.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                    messages.add(message);
                }
            });
            connection.sync().subscribe(RedisKeys.DEFAULTS.endsChannel(queue));
            succeed(Map.of(1L, kept("one", null)));
            CompletableFuture<Optional<TaskView>> end = awaiting("three");
            succeed(Map.of(2L, kept("two", null)));
            succeed(Map.of(3L, kept("three", null)));
            succeed(Map.of(4L, withResult("four")));

            assertThat(state(end)).isEqualTo(TaskState.SUCCEEDED);
            await().until(() -> messages.size() == 2);
            assertThat(messages)
                    .containsExactly(
                            "0\n" + EndMessage.hash("three") + " 0:3", "0\n" + EndMessage.hash("four") + " 0:4");
        } finally {
            client.shutdown();
        }
    }

    private static SuccessRecord withResult(String id) {
        return new SuccessRecord(
                id, "type", "key", 1, 1_800_000_000_000L, 1, "executor-one", null, TaskEnd.SUCCEEDED, "7", null);
    }
}
