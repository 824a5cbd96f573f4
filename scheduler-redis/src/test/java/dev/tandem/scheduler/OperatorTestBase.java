package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A partition and its owner, with methods that put tasks into every state. */
abstract class OperatorTestBase {

    static final long FAR = 4_000_000_000_000L;

    static RedisStore store;

    final String queue = UniqueNames.fresh("orders");
    final Partition partition = Partition.of(queue, 0);
    TestOwner owner;

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

    long claim(long offset, @Nullable String key) {
        long token = owner.nextToken();
        StoreAnswer.SettledAndClaimed stepped =
                owner.settleAndClaim(List.of(), List.of(new Claim(Position.of(0, offset), token, key, false)));
        assertThat(stepped.claims()).containsExactly(StoreAnswer.ClaimResult.Ok.FIRST);
        return token;
    }

    void halt(String key, long offset) {
        long token = claim(offset, key);
        Verdict dead = new Verdict.Dead(DeadHead.HALT, envelope(key, token));
        owner.settleAndClaim(
                List.of(new Settle(Position.of(0, offset), token, key, new SettledMark.Offset(offset), dead, 0)),
                List.of());
    }

    void retryLater(String key, long offset) {
        retryIn(3_600_000, key, offset);
    }

    /** Lets a task fail, so that it is tried again after so long. */
    void retryIn(long millis, String key, long offset) {
        long token = claim(offset, key);
        Verdict retry = new Verdict.Retry(millis, envelope(key, token));
        owner.settleAndClaim(
                List.of(new Settle(Position.of(0, offset), token, key, new SettledMark.Offset(offset), retry, 0)),
                List.of());
    }

    void park(String key, long... offsets) {
        List<HandOver> entries = new ArrayList<>();
        for (long offset : offsets) {
            entries.add(entry(offset, key, new Move.Park()));
        }
        hand(entries);
    }

    void schedule(long offset, long dueAt) {
        hand(List.of(entry(offset, null, new Move.Schedule(dueAt))));
    }

    void hand(List<HandOver> entries) {
        assertThat(owner.ask(
                                new StoreRequest.TakeCustody(
                                        owner.header(), Incarnation.of(0), 0, 100_000, 100_000, entries),
                                StoreAnswer.CustodyTaken.class)
                        .results())
                .containsOnly(HandOverResult.OK);
    }

    HandOver entry(long offset, @Nullable String key, Move move) {
        return new HandOver(Position.of(0, offset), key, new SettledMark.Offset(offset), move, envelope(key, 0));
    }

    StoreAnswer.DueTasks due() {
        StoreAnswer.DueTasks due = owner.ask(
                new StoreRequest.ClaimDue(owner.header(), TestOwner.LEASE, 10, 10, owner.token + 1, true),
                StoreAnswer.DueTasks.class);
        owner.token += due.claimed().size();
        return due;
    }

    byte[] envelope(@Nullable String key, long token) {
        Task task = Task.of(queue, key, new byte[] {1, 2, 3});
        return (token == 0 ? Envelope.of(task) : new Envelope(task, 3, token, "boom")).encode();
    }

    static SuccessRecord kept(@Nullable String id, @Nullable String attempts) {
        return new SuccessRecord(id, "type", "key", 2, 1_800_000_000_000L, 12, "executor-one", attempts);
    }

    /** Lets tasks succeed, in one request. */
    void succeed(Map<Long, SuccessRecord> successes) {
        List<Settle> settles = new ArrayList<>();
        successes.forEach((offset, success) -> settles.add(new Settle(
                Position.of(0, offset),
                claim(offset, null),
                null,
                new SettledMark.Offset(offset),
                new Verdict.Success(success),
                0)));
        owner.settleAndClaim(settles, List.of());
    }

    List<Long> offsets(TaskState state) {
        return offsets(page(state, null, 100));
    }

    static List<Long> offsets(ResultPage<TaskView> page) {
        return page.items().stream()
                .map(task -> Long.parseLong(task.position().text().substring(2)))
                .toList();
    }

    ResultPage<TaskView> page(TaskState state, @Nullable String cursor, int limit) {
        return get(store.inspector().tasks(partition, state, cursor, limit));
    }

    static <T> T get(CompletableFuture<T> future) {
        return future.join();
    }
}
