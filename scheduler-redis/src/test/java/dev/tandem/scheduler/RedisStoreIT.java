package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RedisStoreIT {

    private static RedisStore store;

    private final Partition partition = Partition.of(UniqueNames.fresh("orders"), 0);

    @BeforeAll
    static void start() {

        store = RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
    }

    @AfterAll
    static void stop() {
        store.close();
    }

    @Test
    void answersDoneForATaskThatIsSettledAlready() {
        TestOwner owner = new TestOwner(store, partition, "one");
        StoreAnswer.Acquired acquired = owner.acquire();
        assertThat(acquired.runId()).hasSize(40);
        assertThat(acquired.storedCommit()).isEqualTo(-1);
        Position position = Position.of(0, 7);
        long token = owner.nextToken();

        StoreAnswer.SettledAndClaimed claimed =
                owner.settleAndClaim(List.of(), List.of(new Claim(position, token, "k", false)));
        assertThat(claimed.claims()).containsExactly(ClaimResult.Ok.FIRST);
        assertThat(owner.renew().nextLapseMillis()).isBetween(1L, TestOwner.LEASE);

        Settle success = new Settle(position, token, "k", new SettledMark.Offset(7), new Verdict.Success(null), 0);
        assertThat(owner.settleAndClaim(List.of(success), List.of()).settles()).containsExactly(SettleResult.Ok.PLAIN);
        assertThat(owner.settleAndClaim(List.of(success), List.of()).settles())
                .containsExactly(SettleResult.Done.INSTANCE);

        StoreAnswer.Acquired again = owner.acquire();
        assertThat(again.chunks()).hasSize(1);
        assertThat(again.chunks().get(0).has(7)).isTrue();
        assertThat(again.chunks().get(0).has(6)).isFalse();
    }

    @Test
    void aRetryBlocksItsKeyAndParkedTasksFollowInOrder() {
        TestOwner owner = new TestOwner(store, partition, "one");
        owner.acquire();
        Position head = Position.of(0, 1);
        Position second = Position.of(0, 2);
        Position third = Position.of(0, 3);
        long token = owner.nextToken();
        owner.settleAndClaim(List.of(), List.of(new Claim(head, token, "k", false)));
        Settle retry =
                new Settle(head, token, "k", new SettledMark.Offset(1), new Verdict.Retry(0, envelope("k", token)), 0);
        assertThat(owner.settleAndClaim(List.of(retry), List.of(new Claim(second, owner.nextToken(), "k", false))))
                .isEqualTo(new StoreAnswer.SettledAndClaimed(
                        List.of(SettleResult.Ok.PLAIN), List.of(new ClaimResult.KeyBlocked(head))));

        StoreAnswer.CustodyTaken handed = owner.ask(
                new StoreRequest.TakeCustody(
                        owner.header(),
                        Incarnation.of(0),
                        4,
                        100,
                        100,
                        List.of(
                                new HandOver(second, "k", new SettledMark.Offset(2), new Move.Park(), envelope("k", 0)),
                                new HandOver(third, "k", new SettledMark.Offset(3), new Move.Park(), envelope("k", 0)),
                                new HandOver(
                                        Position.of(0, 4),
                                        "other",
                                        new SettledMark.Offset(4),
                                        new Move.Park(),
                                        envelope("other", 0)),
                                new HandOver(
                                        second, "k", new SettledMark.Offset(2), new Move.Park(), envelope("k", 0)))),
                StoreAnswer.CustodyTaken.class);
        assertThat(handed.results())
                .containsExactly(HandOverResult.OK, HandOverResult.OK, HandOverResult.OPEN, HandOverResult.DONE);
        assertThat(handed.nextDueMillis()).isZero();

        long again = owner.nextToken();
        StoreAnswer.DueTasks due = owner.ask(
                new StoreRequest.ClaimDue(owner.header(), TestOwner.LEASE, 10, 10, again, true),
                StoreAnswer.DueTasks.class);
        assertThat(due.claimed()).hasSize(1);
        assertThat(due.claimed().get(0).position()).isEqualTo(head);
        long next = owner.nextToken();
        StoreAnswer.SettledAndClaimed stepped = owner.settleAndClaim(
                List.of(new Settle(head, again, "k", SettledMark.NONE, new Verdict.Success(null), next)), List.of());
        SettleResult.Next followed = (SettleResult.Next) stepped.settles().get(0);
        assertThat(followed.position()).isEqualTo(second);
        assertThat(Envelope.decode("orders", followed.envelope()).task().key()).isEqualTo("k");
        stepped = owner.settleAndClaim(
                List.of(new Settle(second, next, "k", SettledMark.NONE, new Verdict.Success(null), owner.nextToken())),
                List.of());
        assertThat(((SettleResult.Next) stepped.settles().get(0)).position()).isEqualTo(third);
        stepped = owner.settleAndClaim(
                List.of(new Settle(
                        third, owner.token, "k", SettledMark.NONE, new Verdict.Success(null), owner.nextToken())),
                List.of());
        assertThat(stepped.settles()).containsExactly(SettleResult.Ok.OPENED);
        assertThat(owner.acquire().blockedKeys()).isZero();
    }

    @Test
    void fencesFormerOwnersAndAppliesEachNumberOnce() {
        TestOwner one = new TestOwner(store, partition, "one");
        one.acquire();
        StoreRequest.SettleAndClaim first = one.settleAndClaimRequest(List.of(), List.of());
        assertThat(one.ask(first, StoreAnswer.SettledAndClaimed.class).claims()).isEmpty();
        one.ask(first, StoreAnswer.AlreadyApplied.class);
        one.number += 5;
        assertThat(one.ask(one.settleAndClaimRequest(List.of(), List.of()), StoreAnswer.Gap.class)
                        .stored())
                .isEqualTo(first.header().number());

        TestOwner two = new TestOwner(store, partition, "two");
        assertThat(two.ask(two.acquireRequest(List.of()), StoreAnswer.Refused.class)
                        .owner())
                .isEqualTo("one");
        one.number = first.header().number();
        one.ask(new StoreRequest.Release(one.header()), StoreAnswer.Ok.class);
        two.acquire();
        assertThat(two.epoch).isGreaterThan(one.epoch);
        one.ask(one.settleAndClaimRequest(List.of(), List.of()), StoreAnswer.Fenced.class);
    }

    @Test
    void findsThePartitionsThatHoldTasksToRun() throws Exception {
        TestOwner owner = new TestOwner(store, partition, "one");
        TestOwner idle = new TestOwner(store, Partition.of(partition.queue(), 1), "one");
        owner.acquire();
        idle.acquire();
        assertThat(held(List.of())).isEmpty();
        Position position = Position.of(0, 7);
        Move.Schedule later = new Move.Schedule(System.currentTimeMillis() + 60_000);
        owner.ask(
                new StoreRequest.TakeCustody(
                        owner.header(),
                        Incarnation.of(0),
                        8,
                        10,
                        10,
                        List.of(new HandOver(position, null, SettledMark.NONE, later, envelope("k", 0)))),
                StoreAnswer.CustodyTaken.class);
        assertThat(held(List.of())).containsExactly(partition);
        assertThat(held(List.of(partition))).isEmpty();
    }

    private Collection<Partition> held(List<Partition> except) throws Exception {
        CompletableFuture<Collection<Partition>> held = new CompletableFuture<>();
        store.findHeld(partition.queue(), except, held::complete);
        return held.get(60, TimeUnit.SECONDS);
    }

    @Test
    void platformsWithNamespacesOfTheirOwnShareNothing() {
        RedisSettings settings = RedisSettings.of(Brokers.redis().uri()).withNamespace("other-platform");
        String queue = UniqueNames.fresh("shared");
        Partition partition = Partition.of(queue, 0);
        try (RedisStore elsewhere = RedisStore.open(settings);
                TestOwner here = new TestOwner(store, partition, "one");
                TestOwner there = new TestOwner(elsewhere, partition, "two")) {
            here.acquire();
            there.acquire();
            assertThat(here.renew().lost()).isEmpty();
            assertThat(there.renew().lost()).isEmpty();
            there.ask(new StoreRequest.Release(there.header()), StoreAnswer.Ok.class);
            elsewhere.admin().pause(queue).join();
            assertThat(elsewhere.inspector().pausedSince(queue).join()).isPresent();
            assertThat(store.inspector().pausedSince(queue).join()).isEmpty();
            elsewhere
                    .presence()
                    .beat(new Presence.Executor("two", "host", 0, 0, Map.of()), true)
                    .join();
            assertThat(store.presence().executors().join())
                    .extracting(Presence.Executor::id)
                    .doesNotContain("two");
        }
    }

    private static byte[] envelope(String key, long token) {
        return new Envelope(Task.of("orders", key, new byte[] {1, 2, 3}), token == 0 ? 0 : 1, token, null).encode();
    }
}
