package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.scheduler.Admin.Result;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.Names;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What people see of queues, and what they can change. */
class OperatorIT {

    private static final long FAR = 4_000_000_000_000L;

    private static RedisStore store;

    private final String queue = Names.fresh("orders");
    private final Partition partition = Partition.of(queue, 0);
    private TestOwner owner;

    @BeforeAll
    static void open() {
        store = RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
    }

    @AfterAll
    static void close() {
        if (store != null) {
            store.close();
        }
    }

    @BeforeEach
    void own() {
        owner = new TestOwner(store, partition, "executor-one");
        owner.acquire();
    }

    @Test
    void everyStateIsCountedAndListed() {
        halt("halted", 1);
        park("halted", 2, 3);
        wait("waiting", 4);
        schedule(5, FAR);
        schedule(6, FAR + 1);
        claim(7, "running");
        Position sampled = Position.of(0, 8);
        long token = claim(8, null);
        owner.step(List.of(new Settle(sampled, token, null, 8, new Verdict.Success(envelope(null, 8)), 0)), List.of());
        await().until(() -> !get(store.inspector().partitions(queue)).isEmpty());

        PartitionView view = get(store.inspector().counts(queue)).get(0);
        assertThat(view.tasks())
                .isEqualTo(Map.of(
                        TaskState.DEAD, 1L,
                        TaskState.PARKED, 2L,
                        TaskState.RETRY, 1L,
                        TaskState.SCHEDULED, 2L,
                        TaskState.ACTIVE, 1L,
                        TaskState.SUCCEEDED, 1L));
        assertThat(view.owner()).isEqualTo("executor-one");
        assertThat(view.leaseMillis()).isBetween(1L, TestOwner.LEASE);
        assertThat(view.blockedKeys()).isEqualTo(2);
        assertThat(view.totals()).containsEntry("succeeded", 1L).containsEntry("retried", 1L);

        assertThat(offsets(TaskState.DEAD)).containsExactly(1L);
        assertThat(offsets(TaskState.PARKED)).containsExactly(2L, 3L);
        assertThat(offsets(TaskState.RETRY)).containsExactly(4L);
        assertThat(offsets(TaskState.SCHEDULED)).containsExactly(5L, 6L);
        assertThat(offsets(TaskState.SUCCEEDED)).containsExactly(8L);
        TaskView running = page(TaskState.ACTIVE, null, 10).items().get(0);
        assertThat(running.envelope()).isNull();
        assertThat(running.claim().executor()).isEqualTo("executor-one");
        assertThat(running.claim().key()).isEqualTo("running");
        assertThat(running.claim().startedAt())
                .isCloseTo(System.currentTimeMillis(), org.assertj.core.data.Offset.offset(60_000L));
        assertThat(running.claim().leaseUntil()).isGreaterThan(running.claim().startedAt());

        for (int offset = 1; offset <= 8; offset++) {
            assertThat(get(store.inspector().task(partition, Position.of(0, offset))))
                    .isPresent();
        }
        assertThat(get(store.inspector().task(partition, Position.of(0, 99)))).isEmpty();
    }

    @Test
    void pagesFollowOneAnotherThroughEveryStateAndEveryPartition() {
        halt("halted", 1);
        park("halted", 2, 3, 4, 5, 6, 7, 8, 9);
        Partition second = Partition.of(queue, 1);
        try (TestOwner other = new TestOwner(store, second, "executor-one")) {
            other.acquire();
            List<HandOver> entries = new ArrayList<>();
            for (int i = 20; i < 27; i++) {
                entries.add(entry(i, null, new Move.Schedule(FAR + i)));
                schedule(i, FAR + i);
            }
            other.ask(
                    new StoreRequest.TakeCustody(other.header(), 0, 0, 10, 1_000, entries),
                    StoreAnswer.CustodyTaken.class);
            await().until(() -> get(store.inspector().partitions(queue)).size() == 2);
            List<TaskView> all = new ArrayList<>();
            String cursor = null;
            do {
                ResultPage<TaskView> page = get(store.inspector().tasks(queue, TaskState.SCHEDULED, cursor, 3));
                assertThat(page.items()).hasSizeLessThanOrEqualTo(3);
                all.addAll(page.items());
                cursor = page.next();
            } while (cursor != null);
            assertThat(all).hasSize(14).doesNotHaveDuplicates();
            assertThat(all.subList(0, 7)).allMatch(task -> task.partition().equals(partition));
        }
        ResultPage<TaskView> first = page(TaskState.PARKED, null, 5);
        assertThat(first.items()).hasSize(5);
        assertThat(offsets(page(TaskState.PARKED, first.next(), 5))).containsExactly(7L, 8L, 9L);
        assertThatThrownBy(() -> page(TaskState.PARKED, "?", 5)).hasMessageContaining("cursor '?'");
        assertThatThrownBy(() -> page(TaskState.DEAD, null, 0)).hasMessageContaining("limit is 0");
    }

    @Test
    void aHaltedKeyGoesOnWhenItsHeadIsRetried() {
        halt("k", 1);
        park("k", 2);
        KeyView key = get(store.inspector().key(partition, "k")).orElseThrow();
        assertThat(key.reason()).isEqualTo(BlockReason.HALTED);
        assertThat(key.parked()).isEqualTo(1);
        int wakes = owner.wakes.get();

        assertThat(get(store.admin().retryKey(partition, "k"))).isEqualTo(Result.DONE);
        await().until(() -> owner.wakes.get() > wakes);
        assertThat(owner.renew().opened()).containsExactly("k");
        StoreAnswer.DueTasks due = due();
        assertThat(due.claimed()).hasSize(1);
        assertThat(due.claimed().get(0).position()).isEqualTo(Position.of(0, 1));
        Envelope envelope = Envelope.decode(queue, due.claimed().get(0).envelope());
        assertThat(envelope.attempts()).isZero();
        assertThat(envelope.error()).isEqualTo("boom");
        assertThat(get(store.admin().retryKey(partition, "k"))).isEqualTo(Result.ACTIVE);
        assertThat(get(store.inspector().key(partition, "k")).orElseThrow().reason())
                .isEqualTo(BlockReason.HEAD);
    }

    @Test
    void aHaltedKeyGoesOnWithTheNextWhenItsHeadIsSkipped() {
        halt("k", 1);
        park("k", 2, 3);
        assertThat(get(store.admin().skipKey(partition, "k"))).isEqualTo(Result.DONE);
        assertThat(due().claimed()).extracting(StoreAnswer.DueTask::position).containsExactly(Position.of(0, 2));
        assertThat(get(store.admin().skipKey(partition, "k"))).isEqualTo(Result.ACTIVE);
        assertThat(offsets(TaskState.DEAD)).containsExactly(1L);
        assertThat(get(store.admin().skipKey(partition, "unknown"))).isEqualTo(Result.NOT_FOUND);
    }

    @Test
    void aDrainedKeyOpensAndItsLaneIsDeadInOrder() {
        halt("k", 1);
        park("k", 4, 2, 3);
        assertThat(get(store.admin().drainKey(partition, "k"))).isEqualTo(Result.DONE);
        assertThat(get(store.inspector().key(partition, "k"))).isEmpty();
        assertThat(offsets(TaskState.DEAD)).containsExactly(3L, 2L, 4L, 1L);
        String reason = "drained behind @0/0:1, the head of its key";
        assertThat(page(TaskState.DEAD, null, 10).items())
                .extracting(task -> task.envelope().error())
                .containsExactly(reason, reason, reason, "boom");
        assertThat(owner.renew().opened()).containsExactly("k");
        assertThat(get(store.inspector().counts(partition)).totals()).containsEntry("dead", 4L);
    }

    /** Whatever an envelope has or lacks: the script puts the reason in, and leaves the rest as it is. */
    @Test
    void aDrainedTaskKeepsAllThatItBrought() {
        halt("k", 1);
        List<HandOver> entries = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int has = 0; has < 128; has++) {
            Task task = new Task(
                    (has & 1) == 0 ? null : "order-7",
                    queue,
                    (has & 2) == 0 ? null : "t",
                    "k",
                    new byte[] {1, (byte) has},
                    (has & 4) == 0 ? Map.of() : Map.of("one", "two"),
                    (has & 8) == 0 ? 0 : System.currentTimeMillis(),
                    0,
                    (has & 16) == 0 ? 0 : 30_000,
                    (has & 16) == 0 ? 0 : 3,
                    (has & 8) == 0 ? null : "d".repeat(300));
            String error = (has & 64) == 0 ? null : "x".repeat(200);
            Envelope envelope = new Envelope(task, (has & 32) == 0 ? 0 : 300, (has & 32) == 0 ? 0 : 7, error);
            entries.add(
                    new HandOver(Position.of(0, 1_000 + has), "k", 1_000 + has, new Move.Park(), envelope.encode()));
            expected.add(HexFormat.of()
                    .formatHex(envelope.withError(Envelope.drainedBehind(partition, Position.of(0, 1)))
                            .encode()));
        }
        hand(entries);

        assertThat(get(store.admin().drainKey(partition, "k"))).isEqualTo(Result.DONE);

        List<String> drained = new ArrayList<>();
        for (int has = 0; has < 128; has++) {
            TaskView dead = get(store.inspector().task(partition, Position.of(0, 1_000 + has)))
                    .orElseThrow();
            drained.add(HexFormat.of().formatHex(dead.envelope().encode()));
        }
        assertThat(drained).isEqualTo(expected);
    }

    @Test
    void aWaitingHeadThatIsSkippedDies() {
        wait("k", 1);
        park("k", 2);
        assertThat(get(store.admin().skipKey(partition, "k"))).isEqualTo(Result.DONE);
        assertThat(offsets(TaskState.DEAD)).containsExactly(1L);
        assertThat(due().claimed()).extracting(StoreAnswer.DueTask::position).containsExactly(Position.of(0, 2));
    }

    @Test
    void aWaitingTaskRunsNowWhenItIsRetriedAndGoesWhenItIsDeleted() {
        schedule(1, FAR);
        schedule(2, FAR);
        wait("k", 3);
        park("k", 4, 5);
        claim(6, "other");
        assertThat(get(store.admin().retry(partition, Position.of(0, 1)))).isEqualTo(Result.DONE);
        assertThat(due().claimed()).extracting(StoreAnswer.DueTask::position).containsExactly(Position.of(0, 1));

        assertThat(get(store.admin().delete(partition, Position.of(0, 2)))).isEqualTo(Result.DONE);
        assertThat(get(store.admin().delete(partition, Position.of(0, 2)))).isEqualTo(Result.NOT_FOUND);
        assertThat(get(store.admin().delete(partition, Position.of(0, 6)))).isEqualTo(Result.ACTIVE);
        assertThat(get(store.admin().delete(partition, Position.of(0, 4)))).isEqualTo(Result.DONE);
        assertThat(offsets(TaskState.PARKED)).containsExactly(5L);
        assertThat(get(store.admin().delete(partition, Position.of(0, 3)))).isEqualTo(Result.DONE);
        assertThat(due().claimed()).extracting(StoreAnswer.DueTask::position).containsExactly(Position.of(0, 5));
        assertThat(get(store.inspector().counts(partition)).totals()).containsEntry("cancelled", 3L);
    }

    @Test
    void aDeletedDeadHeadLetsItsKeyGoOn() {
        halt("k", 1);
        park("k", 2);
        assertThat(get(store.admin().delete(partition, Position.of(0, 1)))).isEqualTo(Result.DONE);
        assertThat(offsets(TaskState.DEAD)).isEmpty();
        assertThat(due().claimed()).extracting(StoreAnswer.DueTask::position).containsExactly(Position.of(0, 2));
    }

    @Test
    void tasksAreFoundByTheIdThatTheirPublisherGaveAndByTheDefaultOne() {
        Task labelled = new Task("invoice-7", queue, "t", null, new byte[3], Map.of(), 0, 0, 0, 0, null);
        byte[] envelope = Envelope.of(labelled).encode();
        owner.ask(
                new StoreRequest.TakeCustody(
                        owner.header(),
                        0,
                        0,
                        10,
                        10,
                        List.of(
                                new HandOver(Position.of(0, 1), null, 1, new Move.Schedule(FAR), envelope),
                                new HandOver(Position.of(0, 2), null, 2, new Move.Schedule(FAR), envelope),
                                entry(3, null, new Move.Schedule(FAR)))),
                StoreAnswer.CustodyTaken.class);
        await().until(() -> !get(store.inspector().partitions(queue)).isEmpty());
        assertThat(get(store.inspector().tasks(queue, "invoice-7")))
                .extracting(TaskView::position)
                .containsExactlyInAnyOrder(Position.of(0, 1), Position.of(0, 2));
        assertThat(get(store.inspector().tasks(queue, "topic:0:3")))
                .extracting(TaskView::position)
                .containsExactly(Position.of(0, 3));
        assertThat(get(store.inspector().tasks(queue, "topic:1:3"))).isEmpty();
        assertThat(get(store.inspector().tasks(queue, "nobody"))).isEmpty();
    }

    @Test
    void blockedKeysAreListed() {
        for (int i = 0; i < 30; i++) {
            wait("key-" + i, i);
        }
        List<KeyView> all = new ArrayList<>();
        String cursor = null;
        do {
            ResultPage<KeyView> page = get(store.inspector().blockedKeys(partition, cursor, 10));
            all.addAll(page.items());
            cursor = page.next();
        } while (cursor != null);
        assertThat(all).extracting(KeyView::key).hasSize(30).doesNotHaveDuplicates();
        assertThat(all).allMatch(key -> key.since() > 0 && key.reason() == BlockReason.HEAD);
    }

    @Test
    void aPauseIsToldToEveryExecutorAndLasts() throws Exception {
        List<Boolean> heard = new CopyOnWriteArrayList<>();
        try (AutoCloseable watch = store.watchPause(queue, heard::add)) {
            await().untilAsserted(() -> assertThat(heard).containsExactly(false));
            get(store.admin().pause(queue));
            await().untilAsserted(() -> assertThat(heard).containsExactly(false, true));
            assertThat(get(store.inspector().pausedSince(queue))).isPresent();
            List<Boolean> late = new CopyOnWriteArrayList<>();
            try (AutoCloseable another = store.watchPause(queue, late::add)) {
                await().untilAsserted(() -> assertThat(late).containsExactly(true));
            }
            get(store.admin().resume(queue));
            await().untilAsserted(() -> assertThat(heard).containsExactly(false, true, false));
            assertThat(get(store.inspector().pausedSince(queue))).isEmpty();
        }
    }

    @Test
    void executorsAreSeenUntilTheyLeave() {
        String id = Names.fresh("executor");
        get(store.presence().beat(new Presence.Executor(id, "host", 5, 0, Map.of(queue, 3)), false));
        Presence.Executor seen = get(store.presence().executors()).stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow();
        assertThat(seen.running()).containsEntry(queue, 3);
        assertThat(seen.lastSeen()).isPositive();
        get(store.presence().leave(id));
        assertThat(get(store.presence().executors()))
                .noneMatch(each -> each.id().equals(id));
    }

    @Test
    void anExecutorsComingAndLeavingIsHeardButNotItsSignsOfLife() throws Exception {
        Presence presence = store.presence();
        Presence.Executor executor = new Presence.Executor(Names.fresh("executor"), "host", 5, 0, Map.of());
        AtomicInteger heard = new AtomicInteger();
        try (AutoCloseable watch = presence.watch(heard::incrementAndGet)) {
            await("subscribed").untilAsserted(() -> assertThat(heard).hasPositiveValue());
            int before = heard.get();
            get(presence.beat(executor, false));
            get(presence.beat(executor, false));
            await("its coming").untilAsserted(() -> assertThat(heard).hasValue(before + 1));
            get(presence.leave(executor.id()));
            await("its leaving").untilAsserted(() -> assertThat(heard).hasValue(before + 2));
        }
    }

    @Test
    void historyIsTrimmedButNeverADeadTaskThatHaltsItsKey() {
        halt("k", 1);
        for (int offset = 2; offset < 9; offset++) {
            long token = claim(offset, null);
            Position position = Position.of(0, offset);
            owner.step(
                    List.of(new Settle(
                            position,
                            token,
                            null,
                            offset,
                            offset < 6
                                    ? new Verdict.Dead(DeadHead.SKIP, envelope(null, token))
                                    : new Verdict.Success(envelope(null, token)),
                            0)),
                    List.of());
        }
        assertThat(trim(new Retention(Duration.ofDays(1), 3, 2))).isEqualTo(2 + 1);
        assertThat(offsets(TaskState.DEAD)).containsExactly(5L, 4L, 1L);
        assertThat(offsets(TaskState.SUCCEEDED)).containsExactly(8L, 7L);
        assertThat(trim(new Retention(Duration.ZERO, 3, 2))).isEqualTo(2);
        assertThat(offsets(TaskState.DEAD)).containsExactly(1L);
    }

    private long trim(Retention retention) {
        ClientResources resources = DefaultClientResources.create();
        RedisTopology topology =
                RedisTopology.of(RedisSettings.of(Brokers.redis().uri()), resources);
        try {
            return get(new Housekeeper(new AdminConnection(topology, 5_000), retention).trim(partition));
        } finally {
            topology.close().join();
            resources.shutdown();
        }
    }

    // What owners do

    private long claim(long offset, @Nullable String key) {
        long token = owner.nextToken();
        StoreAnswer.SettledAndClaimed stepped =
                owner.step(List.of(), List.of(new Claim(Position.of(0, offset), token, key, false)));
        assertThat(stepped.claims()).containsExactly(StoreAnswer.ClaimResult.Ok.FIRST);
        return token;
    }

    private void halt(String key, long offset) {
        long token = claim(offset, key);
        Verdict dead = new Verdict.Dead(DeadHead.HALT, envelope(key, token));
        owner.step(List.of(new Settle(Position.of(0, offset), token, key, offset, dead, 0)), List.of());
    }

    private void wait(String key, long offset) {
        long token = claim(offset, key);
        Verdict retry = new Verdict.Retry(3_600_000, envelope(key, token));
        owner.step(List.of(new Settle(Position.of(0, offset), token, key, offset, retry, 0)), List.of());
    }

    private void park(String key, long... offsets) {
        List<HandOver> entries = new ArrayList<>();
        for (long offset : offsets) {
            entries.add(entry(offset, key, new Move.Park()));
        }
        hand(entries);
    }

    private void schedule(long offset, long dueAt) {
        hand(List.of(entry(offset, null, new Move.Schedule(dueAt))));
    }

    private void hand(List<HandOver> entries) {
        assertThat(owner.ask(
                                new StoreRequest.TakeCustody(owner.header(), 0, 0, 1_000, 1_000, entries),
                                StoreAnswer.CustodyTaken.class)
                        .codes())
                .containsOnly(HandOverResult.OK);
    }

    private HandOver entry(long offset, @Nullable String key, Move move) {
        return new HandOver(Position.of(0, offset), key, offset, move, envelope(key, 0));
    }

    private StoreAnswer.DueTasks due() {
        StoreAnswer.DueTasks due = owner.ask(
                new StoreRequest.ClaimDue(owner.header(), TestOwner.LEASE, 10, 10, owner.token + 1, true),
                StoreAnswer.DueTasks.class);
        owner.token += due.claimed().size();
        return due;
    }

    private byte[] envelope(@Nullable String key, long token) {
        Task task = Task.of(queue, key, new byte[] {1, 2, 3});
        return (token == 0 ? Envelope.of(task) : new Envelope(task, 3, token, "boom")).encode();
    }

    private List<Long> offsets(TaskState state) {
        return offsets(page(state, null, 100));
    }

    private static List<Long> offsets(ResultPage<TaskView> page) {
        return page.items().stream()
                .map(task -> Long.parseLong(task.position().text().substring(2)))
                .toList();
    }

    private ResultPage<TaskView> page(TaskState state, @Nullable String cursor, int limit) {
        return get(store.inspector().tasks(partition, state, cursor, limit));
    }

    private static <T> T get(CompletableFuture<T> future) {
        return future.join();
    }
}
