package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.tandem.scheduler.EventFeed.Batch;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.event.EventKind;
import dev.tandem.task.event.TaskEvent;
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
import dev.tandem.task.store.TaskEnd;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An event is recorded with each outcome, and stays until it is confirmed. */
class EventsIT {

    private static final int ALL = 1 << 20;

    private final String queue = UniqueNames.fresh("orders");
    private final Partition partition = Partition.of(queue, 0);
    private @Nullable RedisStore store;
    private @Nullable TestOwner owner;

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
    }

    private TestOwner own(EventPolicy policy) {
        RedisStore opened =
                RedisStore.open(RedisSettings.of(Brokers.redis().uri()), Retention.DEFAULTS, Map.of(queue, policy));
        store = opened;
        TestOwner acquired = new TestOwner(opened, partition, "executor-one");
        acquired.acquire();
        owner = acquired;
        return acquired;
    }

    private static EventPolicy all(long maxBytes) {
        return new EventPolicy(Set.of(EventKind.values()), maxBytes, false);
    }

    @Test
    void eachKindOfOutcomeIsTold() {
        own(all(ALL));
        settle(
                settle(1, success("order-1", TaskEnd.SUCCEEDED)),
                settle(2, new Verdict.Dead(DeadHead.SKIP, envelope("boom"))),
                settle(3, success(null, TaskEnd.EXPIRED)),
                settle(4, success(null, TaskEnd.CANCELLED)),
                settle(5, new Verdict.Retry(60_000, envelope("not yet"))),
                settle(6, new Verdict.Retry(60_000, envelope(null))),
                settle(7, new Verdict.Returned()));

        List<TaskEvent> events = take(null).events();
        assertThat(events)
                .extracting(TaskEvent::kind, TaskEvent::position, TaskEvent::number, TaskEvent::error)
                .containsExactly(
                        tuple(EventKind.SUCCEEDED, Position.of(0, 1), 0L, null),
                        tuple(EventKind.DEAD, Position.of(0, 2), 1L, "boom"),
                        tuple(EventKind.EXPIRED, Position.of(0, 3), 2L, null),
                        tuple(EventKind.CANCELLED, Position.of(0, 4), 3L, null),
                        tuple(EventKind.FAILED, Position.of(0, 5), 4L, "not yet"),
                        tuple(EventKind.SNOOZED, Position.of(0, 6), 5L, null));
        TaskEvent first = events.get(0);
        assertThat(first)
                .isEqualTo(new TaskEvent(
                        EventKind.SUCCEEDED,
                        partition,
                        Position.of(0, 1),
                        0,
                        first.recordedMicros(),
                        "order-1",
                        "type",
                        "key",
                        2,
                        1_800_000_000_000L,
                        12,
                        "executor-one",
                        null,
                        null));
        TaskEvent dead = events.get(1);
        assertThat(dead.id()).isEqualTo("dead-one");
        assertThat(dead.attempt()).isEqualTo(3);
        assertThat(dead.executor()).isEqualTo("executor-one");
    }

    @Test
    void onlyKindsThatThePolicyNamesAreTold() {
        own(new EventPolicy(Set.of(EventKind.DEAD), ALL, false));
        settle(
                settle(1, success(null, TaskEnd.SUCCEEDED)),
                settle(2, new Verdict.Dead(DeadHead.SKIP, envelope("boom"))));
        assertThat(take(null).events()).extracting(TaskEvent::kind).containsExactly(EventKind.DEAD);
    }

    @Test
    void anOutcomeThatIsRefusedOrRecordedBeforeIsNotTold() {
        own(all(ALL));
        Settle first = settle(1, success(null, TaskEnd.SUCCEEDED));
        settle(first);
        Settle never =
                new Settle(Position.of(0, 3), 77, null, new SettledMark.Offset(3), success(null, TaskEnd.SUCCEEDED), 0);
        settle(first, settle(2, success(null, TaskEnd.SUCCEEDED)), never);
        assertThat(take(null).events())
                .extracting(TaskEvent::position)
                .containsExactly(Position.of(0, 1), Position.of(0, 2));
    }

    @Test
    void aFormerOwnersOutcomeIsTold() {
        own(all(ALL));
        Settle late = settle(1, success("late", TaskEnd.SUCCEEDED));
        StoreAnswer.LateSettled answer = owner().ask(
                        new StoreRequest.SettleLate(partition, Incarnation.of(0), late), StoreAnswer.LateSettled.class);
        assertThat(answer.recorded()).isTrue();
        assertThat(take(null).events()).extracting(TaskEvent::id).containsExactly("late");
    }

    @Test
    void theOutcomeOfARunThatEndsBehindTheReleaseIsHeardInItsProcess() {
        own(all(ALL));
        Settle late = settle(1, success("late", TaskEnd.SUCCEEDED));
        owner().ask(new StoreRequest.Release(owner().header()), StoreAnswer.class);
        List<Partition> heard = new CopyOnWriteArrayList<>();
        store().events().listen(heard::add);
        heard.clear();
        owner().ask(new StoreRequest.SettleLate(partition, Incarnation.of(0), late), StoreAnswer.LateSettled.class);

        assertThat(heard).as("it may be about to stop").contains(partition);
        assertThat(take(null).events()).extracting(TaskEvent::id).containsExactly("late");
    }

    @Test
    void endsWithoutARunAreTold() {
        own(all(ALL));
        // An outcome drains the lane of its key.
        Settle dead = settle(1, new Verdict.Dead(DeadHead.DRAIN, envelope("boom")), "drained");
        hand(
                entry(1, "drained", new Move.Adopt(), null),
                entry(2, "drained", new Move.Park(), null),
                entry(3, null, new Move.Bury(), "not readable"));
        settle(dead);
        assertThat(take(null).events())
                .extracting(TaskEvent::kind, TaskEvent::position, TaskEvent::key, TaskEvent::attempt, TaskEvent::error)
                .containsExactly(
                        tuple(EventKind.DEAD, Position.of(0, 3), null, 3, "not readable"),
                        tuple(EventKind.DEAD, Position.of(0, 1), null, 3, "boom"),
                        tuple(
                                EventKind.DEAD,
                                Position.of(0, 2),
                                "drained",
                                0,
                                "drained behind @0/0:1, the head of its key"));
    }

    @Test
    void whatAnOperatorEndsIsTold() {
        own(new EventPolicy(Set.of(EventKind.DEAD, EventKind.CANCELLED), ALL, false));
        settle(settle(1, new Verdict.Retry(3_600_000, envelope("boom")), "given-up"));
        hand(entry(2, "given-up", new Move.Park(), null), entry(3, null, new Move.Schedule(4_000_000_000_000L), null));
        assertThat(store().admin().drainKey(partition, "given-up", true).join()).isEqualTo(Admin.Result.DONE);
        assertThat(store().admin().delete(partition, Position.of(0, 3)).join()).isEqualTo(Admin.Result.DONE);

        List<TaskEvent> events = take(null).events();
        assertThat(events)
                .extracting(TaskEvent::kind, TaskEvent::position, TaskEvent::id, TaskEvent::executor)
                .containsExactly(
                        tuple(EventKind.DEAD, Position.of(0, 1), "dead-one", ""),
                        tuple(EventKind.DEAD, Position.of(0, 2), "task-2", ""),
                        tuple(EventKind.CANCELLED, Position.of(0, 3), "task-3", ""));
        assertThat(events.get(0).error()).isEqualTo("drained by an operator before its next attempt, after: boom");
    }

    @Test
    void eventsStayUntilTheyAreConfirmed() {
        own(all(ALL));
        LongStream.range(0, 5).forEach(offset -> settle(settle(offset, success(null, TaskEnd.SUCCEEDED))));
        Batch three = take(null, 150);
        assertThat(take(null, 150).events()).isEqualTo(three.events());
        assertThat(three.events()).hasSizeBetween(2, 4);
        assertThat(store().inspector().counts(partition).join().eventBytes()).isEqualTo(three.bytesLeft());

        Batch rest = take(three);
        assertThat(rest.events())
                .extracting(TaskEvent::number)
                .doesNotContain(0L)
                .contains(4L);
        // The answer was lost, and the request comes again.
        assertThat(take(three).events()).isEqualTo(rest.events());
        Batch none = take(rest);
        assertThat(none.events()).isEmpty();
        assertThat(none.bytesLeft()).isZero();

        settle(settle(9, success(null, TaskEnd.SUCCEEDED)));
        assertThat(take(null).events()).extracting(TaskEvent::number).containsExactly(5L);
    }

    @Test
    void theOldestEventsAreDroppedBeyondTheBoundAndAreCounted() {
        own(all(500));
        settle(settle(0, success(null, TaskEnd.SUCCEEDED)));
        Batch first = take(null);
        LongStream.range(1, 100).forEach(offset -> settle(settle(offset, success(null, TaskEnd.SUCCEEDED))));

        // The first one was published meanwhile, but is gone already, so nothing goes for it. It was not dropped.
        Batch last = take(first);
        assertThat(last.bytesLeft()).isBetween(300L, 500L);
        assertThat(last.events()).extracting(TaskEvent::number).endsWith(98L, 99L);
        Batch end = take(last);
        assertThat(end.events()).isEmpty();
        assertThat(last.dropped()).isZero();
        assertThat(end.dropped() + last.events().size()).isEqualTo(99);
    }

    @Test
    void eventsThatWereAtTheBrokerWhenTheyWereDroppedAreNotCounted() {
        own(all(500));
        succeed(0, 3);
        Batch three = take(null);
        int pageBytes = (int) three.bytesLeft() / 3;
        int most = 500 / pageBytes; // How many events may wait.

        succeed(3, most + 2);
        Batch next = take(three); // The last one of the three is still there.
        assertThat(next.dropped()).as("0 and 1").isZero();
        assertThat(next.events()).extracting(TaskEvent::number).startsWith(3L);

        succeed(most + 2, 2 * most + 5);
        Batch behind = take(next); // All of those that were confirmed are gone, and some behind them.
        assertThat(behind.dropped()).isZero();
        long first = behind.events().get(0).number();
        assertThat(first).isGreaterThan(most + 2);
        assertThat(take(next).dropped()).as("a repeated request").isZero();
        assertThat(take(behind).dropped()).isEqualTo(first - (most + 2));
    }

    private void succeed(long from, long to) {
        LongStream.range(from, to).forEach(offset -> settle(settle(offset, success(null, TaskEnd.SUCCEEDED))));
    }

    @Test
    void aQueueThatWaitsStartsNoFreshTasksWhileTooManyEventsWait() {
        own(new EventPolicy(Set.of(EventKind.SUCCEEDED), 500, true));
        LongStream.range(0, 14).forEach(offset -> settle(settle(offset, success(null, TaskEnd.SUCCEEDED))));
        await().until(() -> !owner().room.isLeft());
        Batch all = take(null);
        assertThat(all.events()).hasSize(14);
        assertThat(take(all).events()).isEmpty();
        await().until(() -> owner().room.isLeft());
    }

    @Test
    void aPartitionThatTheBrokerHasNoMoreIsHeldUntilItsEventsArePublished() {
        own(all(ALL));
        await().until(() -> store().inspector().partitions(queue).join().contains(partition));
        assertThat(held(List.of())).as("nothing to run or to publish").isEmpty();
        succeed(0, 2);
        assertThat(held(List.of())).containsExactly(partition);
        assertThat(held(List.of(partition))).as("the broker has it").isEmpty();
        take(take(null));
        assertThat(held(List.of())).isEmpty();
    }

    private Collection<Partition> held(List<Partition> ofBroker) {
        CompletableFuture<Collection<Partition>> held = new CompletableFuture<>();
        store().findHeld(queue, ofBroker, held::complete);
        return held.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private Batch take(@Nullable Batch confirmed) {
        return take(confirmed, ALL);
    }

    private Batch take(@Nullable Batch confirmed, int maxBytes) {
        return store().events().take(partition, confirmed, maxBytes).join();
    }

    private TestOwner owner() {
        if (owner == null) {
            throw new IllegalStateException("Nobody owns the partition");
        }
        return owner;
    }

    private RedisStore store() {
        if (store == null) {
            throw new IllegalStateException("Nobody owns the partition");
        }
        return store;
    }

    private void hand(HandOver... entries) {
        assertThat(owner().ask(
                                new StoreRequest.TakeCustody(
                                        owner().header(), Incarnation.of(0), 0, 100, 100, List.of(entries)),
                                StoreAnswer.CustodyTaken.class)
                        .results())
                .containsOnly(HandOverResult.OK);
    }

    private HandOver entry(long offset, @Nullable String key, Move move, @Nullable String error) {
        Task task = new Task("task-" + offset, queue, null, key, new byte[] {1}, Map.of(), 0, 0, 0, 0, null);
        Envelope envelope = error == null ? Envelope.of(task) : new Envelope(task, 3, 0, error);
        return new HandOver(Position.of(0, offset), key, new SettledMark.Offset(offset), move, envelope.encode());
    }

    private void settle(Settle... settles) {
        owner().settleAndClaim(List.of(settles), List.of());
    }

    /** Claims a task, and returns its outcome. */
    private Settle settle(long offset, Verdict verdict) {
        return settle(offset, verdict, null);
    }

    private Settle settle(long offset, Verdict verdict, @Nullable String key) {
        long token = owner().nextToken();
        owner().settleAndClaim(List.of(), List.of(new Claim(Position.of(0, offset), token, key, false)));
        return new Settle(Position.of(0, offset), token, key, new SettledMark.Offset(offset), verdict, 0);
    }

    private static Verdict success(@Nullable String id, TaskEnd end) {
        return new Verdict.Success(
                new SuccessRecord(id, "type", "key", 2, 1_800_000_000_000L, 12, "executor-one", null, end));
    }

    private byte[] envelope(@Nullable String error) {
        Task task = new Task("dead-one", queue, "type", null, new byte[] {1}, Map.of(), 0, 0, 0, 0, null);
        return new Envelope(task, 3, 5, error).encode();
    }
}
