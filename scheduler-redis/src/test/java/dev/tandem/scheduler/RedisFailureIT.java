package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalRedis;
import dev.tandem.local.RedisCheckpoint;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.event.EventKind;
import dev.tandem.task.event.TaskEvent;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Redelivery;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.StoreRoom;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Store links while Redis, or the connection to it, fails. */
class RedisFailureIT {

    private static final Partition PARTITION = Partition.of("orders", 0);
    private static final SuccessRecord KEPT = new SuccessRecord(null, null, "key", 1, 1, 1, "one", null);

    /** More than one call drops. */
    private static final int EVENTS = 1_300;

    private LocalRedis redis;
    private RedisClient client;
    private RedisCommands<String, String> commands;
    private RedisStore store;

    @BeforeEach
    void start() {
        redis = Brokers.ownRedis();
        client = RedisClient.create(redis.address());
        commands = client.connect().sync();
        store = RedisStore.open(RedisSettings.of(redis.address()).withAnswerTimeout(Duration.ofMillis(700)));
    }

    @AfterEach
    void stop() {
        if (redis != null) {
            store.close();
            client.shutdown();
            redis.close();
        }
    }

    @Test
    void aBrokenConnectionVoidsUnansweredRequestsAndResendsNone() {
        TestOwner owner = new TestOwner(store, PARTITION, "one");
        TestOwner other = new TestOwner(store, Partition.of("orders", 1), "one");
        owner.acquire();
        other.acquire();
        long before = owner.number;
        int sent = 200;
        for (int i = 0; i < sent; i++) {
            owner.link.send(claimRequest(owner, i));
            if (i == sent / 2) {
                commands.clientKill(KillArgs.Builder.typeNormal().skipme());
            }
        }
        int answered = 0;
        Object event = owner.next();
        while (!event.equals("down")) {
            assertThat(event).isInstanceOf(StoreAnswer.SettledAndClaimed.class);
            answered++;
            event = owner.next();
        }
        owner.expect("up");
        other.expect("down");
        other.expect("up");
        assertThat(answered).isLessThan(sent);

        // The applied requests are a prefix of those sent. The gap says how long that is.
        owner.number = before + sent + 10;
        StoreAnswer.Gap gap = owner.ask(owner.settleAndClaimRequest(List.of(), List.of()), StoreAnswer.Gap.class);
        assertThat(gap.stored()).isBetween(before + answered, before + sent);
        assertThat(Integer.parseInt(claimCount(PARTITION))).isEqualTo((int) (gap.stored() - before) + 1);
        assertThat(owner.events).isEmpty();
    }

    @Test
    void reconnectsWhenAnAnswerIsOverdue() {
        TestOwner owner = new TestOwner(store, PARTITION, "one");
        owner.acquire();
        redis.suspend();
        try {
            owner.link.send(owner.settleAndClaimRequest(List.of(), List.of()));
            owner.expect("down");
            owner.link.send(owner.settleAndClaimRequest(List.of(), List.of()));
        } finally {
            redis.resume();
        }
        owner.expect("up");
        owner.acquire();
        assertThat(owner.events).isEmpty();
    }

    @Test
    void reconnectsToARestartedRedisWithAnotherRunId() {
        TestOwner owner = new TestOwner(store, PARTITION, "one");
        String run = owner.acquire().runId();
        redis.kill();
        owner.expect("down");
        redis.start();
        owner.expect("up");
        StoreAnswer.LeasesRenewed renewed = owner.renew();
        assertThat(renewed.runId()).hasSize(40).isNotEqualTo(run);
    }

    @Test
    void reloadsFlushedScriptsAndKeepsTheOrderOfRequests() {
        TestOwner owner = new TestOwner(store, PARTITION, "one");
        owner.acquire();
        commands.scriptFlush();
        for (int i = 0; i < 50; i++) {
            owner.link.send(claimRequest(owner, i));
        }
        owner.expect("down");
        owner.expect("up");
        assertThat(owner.events).isEmpty();
        assertThat(claimCount(PARTITION)).isEqualTo("1");
        owner.acquire();
        assertThat(owner.settleAndClaim(List.of(), List.of(claim(owner, 1))).claims())
                .containsExactly(ClaimResult.Ok.FIRST);
    }

    @Test
    void aGapShowsForgottenWritesAndPresentedClaimsAreWrittenAgain() {
        TestOwner owner = new TestOwner(store, PARTITION, "one");
        owner.acquire();
        long answeredBefore = owner.number;
        RedisCheckpoint checkpoint = durableCheckpoint(owner);
        Claim claim = claim(owner, 7);
        assertThat(owner.settleAndClaim(List.of(), List.of(claim)).claims()).containsExactly(ClaimResult.Ok.FIRST);
        long answered = owner.number;
        redis.restartFrom(checkpoint);
        owner.expect("down");
        owner.expect("up");

        StoreAnswer.Gap gap = owner.ask(owner.settleAndClaimRequest(List.of(), List.of()), StoreAnswer.Gap.class);
        assertThat(gap.stored()).isBetween(answeredBefore, answered - 1);
        StoreAnswer.Acquired acquired = owner.acquire(
                new PresentedClaim(claim.position(), claim.token(), claim.key(), 1, new SettledMark.Offset(7)));
        assertThat(acquired.presentedTokens()).containsExactly(claim.token());
        assertThat(owner.epoch).isGreaterThan(claim.token());
        Settle settle = new Settle(
                claim.position(), claim.token(), claim.key(), new SettledMark.Offset(7), new Verdict.Success(null), 0);
        assertThat(owner.settleAndClaim(List.of(settle), List.of()).settles()).containsExactly(SettleResult.Ok.PLAIN);
    }

    @Test
    void recordsOutcomesButRefusesHandOversWhenMemoryIsFull() {
        TestOwner owner = new TestOwner(store, PARTITION, "one");
        owner.acquire();
        Claim claim = claim(owner, 1);
        owner.settleAndClaim(List.of(), List.of(claim));
        commands.configSet("maxmemory", "1mb");

        Settle settle = new Settle(
                claim.position(), claim.token(), claim.key(), new SettledMark.Offset(1), new Verdict.Success(KEPT), 0);
        assertThat(owner.settleAndClaim(List.of(settle), List.of(claim(owner, 2)))
                        .settles())
                .containsExactly(SettleResult.Ok.PLAIN);
        owner.renew();
        byte[] envelope = Envelope.of(Task.of("orders", null, new byte[100])).encode();
        HandOver entry =
                new HandOver(Position.of(0, 9), null, new SettledMark.Offset(9), new Move.Schedule(0), envelope);
        assertThat(handOver(owner, entry)).containsExactly(StoreAnswer.HandOverResult.NO_ROOM);
        Redelivery redelivery = new Redelivery(Position.of(0, 2), envelope);
        assertThat(owner.ask(
                                new StoreRequest.ForwardRedeliveries(PARTITION, "other", 0, List.of(redelivery)),
                                StoreAnswer.RedeliveriesForwarded.class)
                        .results())
                .containsExactly(StoreAnswer.HandOverResult.NO_ROOM);
        owner.renew();
        await().until(() -> store.status().detail().contains("maxmemory is 1048576"));
        assertThat(store.status().connected()).isTrue();

        commands.configSet("maxmemory", "0");
        assertThat(handOver(owner, entry)).containsExactly(StoreAnswer.HandOverResult.OK);
        await().until(() -> !store.status().detail().contains("maxmemory"));
    }

    @Test
    void saysThatThereIsNoRoomWhileOnlyTheHeadroomIsLeft() {
        TestOwner owner = new TestOwner(store, PARTITION, "one");
        owner.acquire();
        // So much that buffers of connections do not count.
        commands.setrange("filler", 50 << 20, "x");
        long used = MemoryUsage.of(commands.info("memory")).used();
        commands.configSet("maxmemory", Long.toString(used * 100 / 95));

        await().until(() -> !owner.room.isLeft());
        assertThat(store.status().connected()).isTrue();
        await().until(() -> store.status().detail().contains("there is no room for more tasks: 9"));
        TestOwner another = new TestOwner(store, Partition.of("orders", 8), "one");
        await().until(() -> !another.room.isLeft());
        succeed(owner, 1);
        assertThat(keptSuccesses()).as("while there is no room").isEmpty();

        commands.configSet("maxmemory", Long.toString(used * 2));
        await().until(() -> owner.room == StoreRoom.SOME && another.room == StoreRoom.SOME);
        assertThat(store.status().detail()).doesNotContain("maxmemory");
        succeed(owner, 2);
        assertThat(keptSuccesses()).containsExactly(Position.of(0, 2));

        commands.configSet("maxmemory", Long.toString(used * 4));
        await().until(() -> owner.room == StoreRoom.HALF && another.room == StoreRoom.HALF);
    }

    @Test
    void eventsThatFillRedisAreDroppedAndDoNotStopFreshTasks() {
        try (RedisStore telling = withEvents(false)) {
            TestOwner owner = new TestOwner(telling, PARTITION, "one");
            owner.acquire();
            fillWithEvents(owner);
            assertThat(events(telling, null).bytesLeft()).isGreaterThan(4 << 20);
            leaveNoRoom();

            // While tasks wait nothing is recorded, so no request that settles drops them.
            await().until(() -> events(telling, null).bytesLeft() <= EventPolicy.WITHOUT_ROOM_BYTES);
            await().until(() -> owner.room.isLeft());
            EventFeed.Batch last = events(telling, null);
            List<Long> numbers = last.events().stream().map(TaskEvent::number).toList();
            assertThat(numbers).isNotEmpty().endsWith(EVENTS - 1L).isSorted();
            assertThat(events(telling, last).dropped()).isEqualTo(EVENTS - numbers.size());
        }
    }

    @Test
    void aQueueThatWaitsKeepsItsEventsWhenTheyFillRedis() {
        try (RedisStore telling = withEvents(true)) {
            TestOwner owner = new TestOwner(telling, PARTITION, "one");
            owner.acquire();
            fillWithEvents(owner);
            leaveNoRoom();
            await().until(() -> !owner.room.isLeft());

            int taken = 0;
            EventFeed.Batch batch = events(telling, null);
            while (!batch.events().isEmpty()) {
                taken += batch.events().size();
                batch = events(telling, batch);
                assertThat(batch.dropped()).isZero();
            }
            assertThat(taken).isEqualTo(EVENTS);
            await().until(() -> owner.room.isLeft());
        }
    }

    private RedisStore withEvents(boolean waits) {
        Retention none = new Retention(Duration.ofDays(1), 1, Duration.ZERO, 0, 0);
        EventPolicy policy = new EventPolicy(Set.of(EventKind.SUCCEEDED), 64 << 20, waits);
        return RedisStore.open(RedisSettings.of(redis.address()), none, Map.of(PARTITION.queue(), policy));
    }

    private static EventFeed.Batch events(RedisStore telling, EventFeed.Batch confirmed) {
        return telling.events().take(PARTITION, confirmed, 64 << 20).join();
    }

    /** Has some 5 MB of events recorded, in pages of 4 KB. */
    private static void fillWithEvents(TestOwner owner) {
        SuccessRecord large = new SuccessRecord("i".repeat(4_000), null, "key", 1, 1, 1, "one", null);
        for (int offset = 0; offset < EVENTS; offset++) {
            Claim claim = claim(owner, offset);
            owner.settleAndClaim(List.of(), List.of(claim));
            Settle settle = new Settle(
                    claim.position(),
                    claim.token(),
                    claim.key(),
                    new SettledMark.Offset(offset),
                    new Verdict.Success(large),
                    0);
            owner.settleAndClaim(List.of(settle), List.of());
        }
    }

    /** Lets the memory that is used be more than tasks may take, but not by as much as the events have. */
    private void leaveNoRoom() {
        long used = MemoryUsage.of(commands.info("memory")).used();
        commands.configSet("maxmemory", Long.toString(used * 100 / 93));
    }

    private void succeed(TestOwner owner, long offset) {
        Claim claim = claim(owner, offset);
        owner.settleAndClaim(List.of(), List.of(claim));
        Settle settle = new Settle(
                claim.position(),
                claim.token(),
                claim.key(),
                new SettledMark.Offset(offset),
                new Verdict.Success(KEPT),
                0);
        assertThat(owner.settleAndClaim(List.of(settle), List.of()).settles()).containsExactly(SettleResult.Ok.PLAIN);
    }

    private List<Position> keptSuccesses() {
        return store.inspector().tasks(PARTITION, TaskState.SUCCEEDED, null, 10).join().items().stream()
                .map(TaskView::position)
                .toList();
    }

    private static List<StoreAnswer.HandOverResult> handOver(TestOwner owner, HandOver entry) {
        return owner.ask(
                        new StoreRequest.TakeCustody(owner.header(), Incarnation.of(0), 0, 10, 10, List.of(entry)),
                        StoreAnswer.CustodyTaken.class)
                .results();
    }

    @Test
    void aLateOutcomeWakesTheOwner() {
        TestOwner former = new TestOwner(store, PARTITION, "one");
        former.acquire();
        Claim claim = claim(former, 1);
        former.settleAndClaim(List.of(), List.of(claim));
        former.ask(new StoreRequest.Release(former.header()), StoreAnswer.Ok.class);
        try (RedisStore elsewhere = RedisStore.open(RedisSettings.of(redis.address()))) {
            TestOwner owner = new TestOwner(elsewhere, PARTITION, "two");
            assertThat(owner.acquire().otherClaims()).hasSize(1);
            await().untilAsserted(() -> assertThat(commands.pubsubNumsub(RedisKeys.DEFAULTS.wakeChannel(PARTITION)))
                    .containsValue(2L));
            int before = owner.wakes.get();
            Settle settle = new Settle(
                    claim.position(),
                    claim.token(),
                    claim.key(),
                    new SettledMark.Offset(1),
                    new Verdict.Success(null),
                    0);
            assertThat(former.ask(
                                    new StoreRequest.SettleLate(PARTITION, Incarnation.of(0), settle),
                                    StoreAnswer.LateSettled.class)
                            .recorded())
                    .isTrue();
            await().untilAsserted(() -> assertThat(owner.wakes.get()).isGreaterThan(before));
            assertThat(owner.renew().opened()).containsExactly("key");
        }
    }

    @Test
    void aLinkGoesUpWhenRedisStartsLater() {
        redis.kill();
        RecordedEvents recorded = new RecordedEvents();
        try (RedisStore early = RedisStore.open(RedisSettings.of(redis.address()))) {
            early.link(PARTITION, recorded);
            redis.start();
            await().untilAsserted(() -> assertThat(recorded.events).containsExactly("up"));
        }
    }

    /** Takes a checkpoint that contains the ownership. */
    private RedisCheckpoint durableCheckpoint(TestOwner owner) {
        commands.bgrewriteaof();
        await().until(() -> commands.info("persistence").contains("aof_rewrite_in_progress:0"));
        owner.renew();
        return redis.checkpoint();
    }

    private static StoreRequest.SettleAndClaim claimRequest(TestOwner owner, int offset) {
        return owner.settleAndClaimRequest(List.of(), List.of(claim(owner, offset)));
    }

    private static Claim claim(TestOwner owner, long offset) {
        return new Claim(Position.of(0, offset), owner.nextToken(), offset == 1 ? "key" : null, false);
    }

    private String claimCount(Partition partition) {
        return commands.hlen("tandem:{" + partition + "}:claims").toString();
    }
}
