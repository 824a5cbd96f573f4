package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Relays: a settle brings the claim of its key's next task. */
class RelayIT {

    private static RedisStore store;

    private final Partition partition = Partition.of(UniqueNames.fresh("orders"), 0);
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
        owner = new TestOwner(store, partition, "one");
        owner.acquire();
    }

    @Test
    void settlesAChainOfRelaysInOneRequest() {
        Claim claim = claim(0);
        owner.settleAndClaim(List.of(), List.of(claim));
        List<Settle> settles = new ArrayList<>();
        for (int i = 1; i <= 100; i++) {
            Claim then = claim(i);
            settles.add(success(claim, then));
            claim = then;
        }
        assertThat(owner.settleAndClaim(settles, List.of(claim(200))).settles()).containsOnly(SettleResult.Ok.PLAIN);
        assertThat(positions()).containsExactlyInAnyOrder(Position.of(0, 100), Position.of(0, 200));
        assertThat(owner.settleAndClaim(List.of(success(claim, null)), List.of())
                        .settles())
                .containsExactly(SettleResult.Ok.PLAIN);
        StoreAnswer.Acquired again = owner.acquire();
        for (int i = 0; i <= 100; i++) {
            assertThat(again.chunks().get(0).has(i)).isTrue();
        }
        assertThat(again.chunks().get(0).has(101)).isFalse();
    }

    @Test
    void aRefusedSettleRefusesTheWholeChainBehindIt() {
        Claim stolen = claim(0);
        Claim next = claim(1);
        Claim last = claim(2);
        List<Settle> settles = List.of(success(stolen, next), success(next, last), success(last, null));
        assertThat(owner.settleAndClaim(settles, List.of()).settles()).containsOnly(SettleResult.Refused.INSTANCE);
        assertThat(positions()).isEmpty();
    }

    @Test
    void aRetryEndsTheChainAndBlocksTheKey() {
        Claim first = claim(0);
        Claim second = claim(1);
        Claim third = claim(2);
        owner.settleAndClaim(List.of(), List.of(first));
        Settle retry = new Settle(
                second.position(),
                second.token(),
                "k",
                new SettledMark.Offset(1),
                new Verdict.Retry(60_000, envelope(second.token())),
                0,
                third);
        assertThat(owner.settleAndClaim(List.of(success(first, second), retry, success(third, null)), List.of())
                        .settles())
                .containsExactly(SettleResult.Ok.PLAIN, SettleResult.Ok.PLAIN, SettleResult.Refused.INSTANCE);
        assertThat(positions()).isEmpty();
        assertThat(owner.acquire().blockedKeys()).isEqualTo(1);
    }

    @Test
    void doesNotRelayToATaskInTheStore() {
        Claim first = claim(0);
        Claim scheduled = claim(1);
        owner.settleAndClaim(List.of(), List.of(first));
        takeCustody(new HandOver(
                scheduled.position(),
                "k",
                new SettledMark.Offset(1),
                new Move.Schedule(4_000_000_000_000L),
                envelope(0)));
        assertThat(owner.settleAndClaim(List.of(success(first, scheduled), success(scheduled, null)), List.of())
                        .settles())
                .containsExactly(SettleResult.Ok.PLAIN, SettleResult.Refused.INSTANCE);
    }

    @Test
    void keepsAStandingClaimWithTheSameToken() {
        Claim first = claim(0);
        Claim second = claim(1);
        owner.settleAndClaim(List.of(), List.of(first, second));
        assertThat(owner.settleAndClaim(List.of(success(first, second), success(second, null)), List.of())
                        .settles())
                .containsOnly(SettleResult.Ok.PLAIN);
        assertThat(positions()).isEmpty();
    }

    @Test
    void aLateOutcomeTakesItsNextTaskOutOfTheLane() {
        Claim first = claim(0);
        Claim second = claim(1);
        owner.settleAndClaim(List.of(), List.of(first));
        owner.ask(new StoreRequest.Release(owner.header()), StoreAnswer.Ok.class);
        TestOwner newOwner = new TestOwner(store, partition, "two");
        assertThat(newOwner.acquire().blocked())
                .extracting(StoreAnswer.BlockedKey::reason)
                .containsExactly(BlockReason.OTHER_OWNER);
        newOwner.ask(
                new StoreRequest.TakeCustody(
                        newOwner.header(),
                        Incarnation.of(0),
                        0,
                        10,
                        10,
                        List.of(
                                new HandOver(
                                        second.position(),
                                        "k",
                                        new SettledMark.Offset(1),
                                        new Move.Park(),
                                        envelope(0)),
                                new HandOver(
                                        Position.of(0, 2),
                                        "k",
                                        new SettledMark.Offset(2),
                                        new Move.Park(),
                                        envelope(0)))),
                StoreAnswer.CustodyTaken.class);

        assertThat(owner.ask(
                                new StoreRequest.SettleLate(partition, Incarnation.of(0), success(first, second)),
                                StoreAnswer.LateSettled.class)
                        .recorded())
                .isTrue();
        StoreAnswer.Acquired again = newOwner.acquire();
        assertThat(again.blocked())
                .containsExactly(new StoreAnswer.BlockedKey("k", BlockReason.OTHER_OWNER, second.position()));
        assertThat(again.otherClaims()).hasSize(1);
        assertThat(again.otherClaims().get(0).token()).isEqualTo(second.token());
        assertThat(again.otherClaims().get(0).remainingMillis()).isPositive();

        assertThat(owner.ask(
                                new StoreRequest.SettleLate(partition, Incarnation.of(0), success(second, null)),
                                StoreAnswer.LateSettled.class)
                        .recorded())
                .isTrue();
        StoreAnswer.DueTasks due = newOwner.ask(
                new StoreRequest.ClaimDue(newOwner.header(), TestOwner.LEASE, 10, 10, newOwner.nextToken(), true),
                StoreAnswer.DueTasks.class);
        assertThat(due.claimed()).extracting(StoreAnswer.DueTask::position).containsExactly(Position.of(0, 2));
    }

    private void takeCustody(HandOver entry) {
        owner.ask(
                new StoreRequest.TakeCustody(owner.header(), Incarnation.of(0), 0, 10, 10, List.of(entry)),
                StoreAnswer.CustodyTaken.class);
    }

    private List<Position> positions() {
        List<TaskView> active = store.inspector()
                .tasks(partition, dev.tandem.task.TaskState.ACTIVE, null, 100)
                .join()
                .items();
        return active.stream().map(TaskView::position).toList();
    }

    private Claim claim(long offset) {
        return new Claim(Position.of(0, offset), owner.nextToken(), offset == 200 ? null : "k", false);
    }

    private static Settle success(Claim claim, @Nullable Claim then) {
        long offset = Long.parseLong(claim.position().text().substring(2));
        return new Settle(
                claim.position(),
                claim.token(),
                claim.key(),
                new SettledMark.Offset(offset),
                new Verdict.Success(null),
                0,
                then);
    }

    private byte[] envelope(long token) {
        return new Envelope(Task.of(partition.queue(), "k", new byte[1]), 1, token, null).encode();
    }
}
