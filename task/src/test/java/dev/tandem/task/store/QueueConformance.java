package dev.tandem.task.store;

import static dev.tandem.task.store.Owner.envelope;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.IdentityPage;
import dev.tandem.task.store.StoreAnswer.KnownPositions;
import dev.tandem.task.store.StoreAnswer.LapsedClaim;
import dev.tandem.task.store.StoreAnswer.LiveClaim;
import dev.tandem.task.store.StoreAnswer.OtherClaim;
import dev.tandem.task.store.StoreAnswer.RedeliveriesForwarded;
import dev.tandem.task.store.StoreAnswer.RedeliveryHistory;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.ForwardRedeliveries;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.ListKnownPositions;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Redelivery;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The same, and what a store remembers of a queue's positions, so that a redelivery can be recognised. */
public abstract class QueueConformance extends StoreConformance {

    private static final String ONE = "AAAAAAAAAAAA";
    private static final String TWO = "BBBBBBBBBBBB";
    private static final Position M1 = new Position("m" + ONE + ":w.1");
    private static final Position M2 = new Position("m" + TWO + ":w.2");
    private static final Position TWIN = new Position("m" + ONE + ":w.3");
    private static final Position C1 = new Position("cCCCCCCCCCCCC:w.4");

    private Owner first = a;
    private Owner second = b;

    @BeforeEach
    void ofAQueue() {
        first = new Owner(partition, "a", this::ask);
        second = new Owner(partition, "b", this::ask);
        first.queue = true;
        second.queue = true;
        second.generation = 2;
    }

    // Pages

    @Test
    void whatIsSettledIsRememberedInItsPage() {
        first.acquire();
        first.succeed(M1, first.claim(M1, null), null, 0);
        first.retry(M2, first.claim(M2, null), null, 3, Owner.LONG);
        first.die(TWIN, first.claim(TWIN, null), null, 3, DeadHead.HALT);
        first.succeed(C1, first.claim(C1, null), null, -1);
        assertThat(pages(first.acquire().history())).containsExactly("0 " + ONE, "3 " + TWO + ONE);
        assertThat(pages(recall().history())).containsExactly("0 " + ONE, "3 " + TWO + ONE);
    }

    @Test
    void whatIsHandedOverIsRememberedInItsPage() {
        first.acquire();
        first.claim(TWIN, null);
        assertThat(first.schedule(M1, null, 1, now() + Owner.LONG)).isEqualTo(HandOverResult.OK);
        assertThat(first.adopt(TWIN, null, 1)).isEqualTo(HandOverResult.OK);
        assertThat(first.adopt(M2, null, 1)).isEqualTo(HandOverResult.GONE);
        assertThat(first.schedule(M1, null, 2, now() + Owner.LONG)).isEqualTo(HandOverResult.DONE);
        assertThat(pages(first.acquire().history())).containsExactly("1 " + ONE + ONE, "2 " + ONE);
    }

    @Test
    void whatIsRefusedOrReturnedIsNotRemembered() {
        first.acquire();
        long token = first.claim(M1, null);
        first.settle(M1, token, null, 0, new Verdict.Returned());
        first.succeed(M1, token, null, 0);
        assertThat(first.acquire().history()).isEqualTo(RedeliveryHistory.NONE);
    }

    @Test
    void aPageIsNoBit() {
        first.acquire();
        first.succeed(M1, first.claim(M1, null), null, 7);
        Acquired acquired = first.acquire();
        assertThat(acquired.chunks()).isEmpty();
        assertThat(acquired.storedCommit()).isEqualTo(-1);
        assertThat(first.claimed(M2, null, false)).isEqualTo(ClaimResult.Ok.FIRST);
        assertThat(first.succeed(M2, first.lastToken() - 1, null, 7)).isEqualTo(SettleResult.Refused.INSTANCE);
        assertThat(first.succeed(M2, first.lastToken(), null, 7)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    void pagesBelowACommitGo() {
        first.acquire();
        for (int page = 0; page < 4; page++) {
            Position position = new Position("m" + ONE + ":w." + page);
            first.succeed(position, first.claim(position, null), null, page);
        }
        first.committed(2);
        Acquired acquired = first.acquire();
        assertThat(pages(acquired.history())).containsExactly("2 " + ONE, "3 " + ONE);
        assertThat(acquired.storedCommit()).isEqualTo(-1);
        first.committed(4);
        assertThat(first.acquire().history()).isEqualTo(RedeliveryHistory.NONE);
    }

    // What lapsed

    @Test
    void lapsedPositionsAreGivenBackUntilTheyAreClaimedOrGone() {
        first.leaseMillis = SHORT;
        first.acquire();
        first.claim(M1, null);
        first.claim(M2, KEY);
        first.block("other", TWIN, 0);
        first.due(9, 9);
        pass(SHORT + 1);
        assertThat(first.patrol().returned()).isEqualTo(3);
        second.acquire();
        assertThat(second.acquire().history().lapsed())
                .containsExactlyInAnyOrder(new LapsedClaim(M1, 1), new LapsedClaim(M2, 1));
        assertThat(second.claimed(M1, null, false)).isEqualTo(new ClaimResult.Ok(1));
        assertThat(recall().history().lapsed()).containsExactly(new LapsedClaim(M2, 1));
        second.gone(M2, KEY);
        assertThat(recall().history().lapsed()).isEmpty();
    }

    @Test
    void lapsesOfAPositionWithoutAKeyGoWhenItsMessageIsGone() {
        first.leaseMillis = SHORT;
        first.acquire();
        first.claim(M1, null);
        pass(SHORT + 1);
        first.patrol();
        first.claim(M1, null);
        first.gone(M1, null);
        pass(SHORT + 1);
        first.patrol();
        assertThat(recall().history().lapsed()).as("it was claimed").containsExactly(new LapsedClaim(M1, 2));
        first.gone(M1, null);
        assertThat(recall().history()).isEqualTo(RedeliveryHistory.NONE);
    }

    // What the broker owes

    @Test
    void aFormerOwnersOutcomeIsOwed() {
        first.acquire();
        long success = first.claim(M1, null);
        long retry = first.claim(M2, null);
        long dead = first.claim(C1, null);
        long returned = first.claim(TWIN, null);
        assertThat(second.acquire().otherClaims())
                .extracting(OtherClaim::inStore)
                .containsOnly(false);
        first.late(M1, success, null, 5, new Verdict.Success(null));
        first.late(M2, retry, null, 5, new Verdict.Retry(0, envelope(null, retry)));
        first.late(C1, dead, null, -1, new Verdict.Dead(DeadHead.HALT, envelope(null, dead)));
        first.late(TWIN, returned, null, 5, new Verdict.Returned());
        RedeliveryHistory history = second.acquire().history();
        assertThat(history.awaitingRedelivery()).containsExactlyInAnyOrder(M1, M2, C1);
        assertThat(history.pages()).isEmpty();
        assertThat(recall().history().awaitingRedelivery()).containsExactlyInAnyOrder(M1, M2, C1);
    }

    @Test
    void whatIsOwedIsDoneWhenItComesAgainAndRememberedInAPageFromThenOn() {
        first.acquire();
        long token = first.claim(M1, KEY);
        second.acquire();
        first.late(M1, token, KEY, -1, new Verdict.Success(null));
        assertThat(second.claimed(M1, KEY, false)).isEqualTo(ClaimResult.Done.INSTANCE);
        assertThat(second.adopt(M1, KEY, 2)).isEqualTo(HandOverResult.DONE);
        RedeliveryHistory history = second.acquire().history();
        assertThat(history.awaitingRedelivery()).isEmpty();
        assertThat(pages(history)).containsExactly("2 " + ONE);
        assertThat(second.adopt(M1, KEY, 2)).as("its message came once").isEqualTo(HandOverResult.GONE);
    }

    @Test
    void aRetryRunsWhileItsMessageIsOwed() {
        first.acquire();
        first.retry(M1, first.claim(M1, KEY), KEY, StoreRequest.AWAITS_REDELIVERY, 0);
        first.schedule(C1, "other", StoreRequest.AWAITS_REDELIVERY, now() - 5);
        assertThat(first.due(9, 9).claimed()).extracting(DueTask::position).containsExactly(M1);
        assertThat(first.claimed(C1, "other", true)).isEqualTo(ClaimResult.Ok.FIRST);
        assertThat(recall().history().awaitingRedelivery()).hasSize(2);
    }

    @Test
    void nothingIsOwedOnceTheMessageCame() {
        first.acquire();
        long token = first.claim(M1, null);
        second.acquire();
        assertThat(second.adopt(M1, null, 2)).isEqualTo(HandOverResult.OK);
        first.late(M1, token, null, 2, new Verdict.Success(null));
        RedeliveryHistory history = second.acquire().history();
        assertThat(history.awaitingRedelivery()).isEmpty();
        assertThat(pages(history)).containsExactly("2 " + ONE);
    }

    @Test
    void anOwnersOutcomeIsOwedIfItSaysSo() {
        first.acquire();
        first.succeed(M1, first.claim(M1, null), null, StoreRequest.AWAITS_REDELIVERY);
        first.claim(C1, null);
        assertThat(first.adopt(C1, null, StoreRequest.AWAITS_REDELIVERY)).isEqualTo(HandOverResult.OK);
        assertThat(first.adopt(C1, null, StoreRequest.AWAITS_REDELIVERY)).isEqualTo(HandOverResult.DONE);
        assertThat(first.acquire(new PresentedClaim(C1, first.lastToken(), null, 1, -1))
                        .history()
                        .awaitingRedelivery())
                .containsExactlyInAnyOrder(M1, C1);
        assertThat(first.adopt(C1, null, -1)).isEqualTo(HandOverResult.DONE);
        first.succeed(C1, first.lastToken() - 1, null, StoreRequest.AWAITS_REDELIVERY);
        assertThat(recall().history().awaitingRedelivery()).containsExactly(M1);
        first.gone(M1, null);
        assertThat(recall().history()).isEqualTo(RedeliveryHistory.NONE);
    }

    @Test
    void whatIsOwedCountsAsSettled() {
        first.acquire();
        long token = first.claim(M1, null);
        second.acquire();
        first.late(M1, token, null, -1, new Verdict.Success(null));
        assertThat(first.late(M1, token, null, -1, new Verdict.Success(null)))
                .as("once more: it is recorded already")
                .isTrue();
        assertThat(second.acquire(new PresentedClaim(M1, token, null, 1, -1)).presentedTokens())
                .isEmpty();
    }

    // Relays

    @Test
    void aFormerOwnersRelayIsTakenWhileNobodyOwnsThePartitionSince() {
        first.acquire();
        long token = first.claim(M1, KEY);
        Claim next = new Claim(M2, first.nextToken(), KEY, false);
        first.release();
        assertThat(first.late(relaying(M1, token, next))).isTrue();
        Acquired acquired = second.acquire();
        assertThat(acquired.history().awaitingRedelivery()).containsExactly(M1);
        assertThat(acquired.otherClaims()).extracting(OtherClaim::position).containsExactly(M2);
    }

    @Test
    void aFormerOwnersRelayIsRefusedOnceAnotherOwnsThePartition() {
        first.acquire();
        long token = first.claim(M1, KEY);
        Claim next = new Claim(M2, first.nextToken(), KEY, false);
        second.acquire();
        assertThat(first.late(relaying(M1, token, next))).isFalse();
        assertThat(first.late(M2, next.token(), KEY, -1, new Verdict.Success(null)))
                .isFalse();
        Acquired acquired = second.acquire();
        assertThat(acquired.history()).isEqualTo(RedeliveryHistory.NONE);
        assertThat(acquired.otherClaims()).extracting(OtherClaim::position).containsExactly(M1);
    }

    private static Settle relaying(Position position, long token, Claim next) {
        return new Settle(position, token, KEY, -1, new Verdict.Success(null), 0, next);
    }

    // Another partition's redeliveries

    @Test
    void aRecallTellsWhoseChannelIsGone() {
        first.acquire();
        first.claim(M1, null);
        first.claim(M2, null);
        first.adopt(M2, null, -1);
        assertThat(recall().claims()).extracting(LiveClaim::former).containsExactly(false);
        second.acquire();
        second.claim(C1, null);
        assertThat(recall().claims()).extracting(LiveClaim::position).containsExactlyInAnyOrder(M1, C1);
        assertThat(recall().claims())
                .allSatisfy(live ->
                        assertThat(live.former()).isEqualTo(live.position().equals(M1)))
                .allSatisfy(live -> assertThat(live.remainingMillis()).isBetween(1L, Owner.LONG));
    }

    @Test
    void aRecallAfterARestartIsCompleteOnceTheNextOwnerHasHeardOfAllThatRuns() {
        first.leaseMillis = SHORT;
        first.acquire();
        assertThat(recall().complete()).isTrue();
        pass(SHORT + 1);
        restarted(partition);
        assertThat(recall().complete()).as("nobody has acquired it since").isFalse();
        second.leaseMillis = SHORT;
        second.acquire();
        assertThat(recall().complete()).as("others may still run something").isFalse();
        pass(SHORT + 1);
        assertThat(recall().complete()).isTrue();
    }

    @Test
    void aRecallOfAnUnknownPartitionFindsNothing() {
        assertThat(recall().complete()).isTrue();
        assertThat(recall().claims()).isEmpty();
        assertThat(recall().history()).isEqualTo(RedeliveryHistory.NONE);
        assertThat(redeliver("x", M1).codes()).containsExactly(HandOverResult.GONE);
        assertThat(redeliver("x").runId()).isEqualTo(recall().runId());
    }

    @Test
    void aRedeliveryOfARunningTaskGoesUnderItsClaim() {
        first.leaseMillis = SHORT;
        first.acquire();
        long token = first.claim(M1, null);
        first.claim(TWIN, null);
        assertThat(redeliver("x", M1, M2).codes()).containsExactly(HandOverResult.OK, HandOverResult.GONE);
        assertThat(recall().claims()).extracting(LiveClaim::position).containsExactly(TWIN);
        assertThat(first.due(9, 9).claimed()).isEmpty();
        assertThat(first.succeed(M1, token, null, StoreRequest.AWAITS_REDELIVERY))
                .isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(recall().history().awaitingRedelivery()).isEmpty();
        pass(SHORT + 1);
        assertThat(first.patrol().returned()).isEqualTo(1);
        assertThat(recall().history().lapsed()).containsExactly(new LapsedClaim(TWIN, 1));
    }

    @Test
    void aRedeliveryOfALapsedTaskIsDueWithItsLapses() {
        first.leaseMillis = SHORT;
        first.acquire();
        first.claim(M1, null);
        first.claim(TWIN, null);
        assertThat(redeliver("x", TWIN).codes()).containsExactly(HandOverResult.OK);
        pass(SHORT + 1);
        first.patrol();
        assertThat(redeliver("x", M1).codes()).containsExactly(HandOverResult.OK);
        assertThat(recall().history().lapsed()).isEmpty();
        assertThat(first.due(9, 9).claimed())
                .hasSize(2)
                .extracting(DueTask::lapses)
                .containsOnly(1);
        pass(SHORT + 1);
        first.patrol();
        assertThat(first.due(9, 9).claimed())
                .hasSize(2)
                .extracting(DueTask::lapses)
                .containsOnly(2);
    }

    @Test
    void aRedeliveredTaskIsNotClaimedAgainBeforeItsMessageIsAcked() {
        first.leaseMillis = SHORT;
        first.acquire();
        first.claim(M1, null);
        first.claim(TWIN, null);
        assertThat(redeliverAfter(Owner.LONG, "x", TWIN).codes()).containsExactly(HandOverResult.OK);
        pass(SHORT + 1);
        assertThat(first.patrol().returned()).as("only the other one").isEqualTo(1);
        assertThat(redeliverAfter(Owner.LONG, "x", M1).codes()).containsExactly(HandOverResult.OK);
        assertThat(first.due(9, 9).claimed()).isEmpty();
        assertThat(first.patrol().nextDueMillis()).isBetween(1L, Owner.LONG);
    }

    @Test
    void aRedeliveryOfWhatIsOwedIsDone() {
        first.acquire();
        long token = first.claim(M1, null);
        second.acquire();
        first.late(M1, token, null, -1, new Verdict.Retry(0, envelope(null, token)));
        assertThat(redeliver("x", M1).codes()).containsExactly(HandOverResult.DONE);
        assertThat(recall().history().awaitingRedelivery()).isEmpty();
        assertThat(second.due(9, 9).claimed()).extracting(DueTask::envelope).containsExactly(envelope(null, token));
        assertThat(second.adopt(M1, null, 1)).as("held").isEqualTo(HandOverResult.DONE);
    }

    @Test
    void aPositionIsGivenUpOnce() {
        first.acquire();
        long awaitingRedelivery = first.claim(M1, null);
        long token = first.claim(M2, null);
        first.succeed(M1, awaitingRedelivery, null, StoreRequest.AWAITS_REDELIVERY);
        assertThat(redeliver("x", M1, M2).codes()).containsExactly(HandOverResult.DONE, HandOverResult.OK);
        assertThat(redeliver("y", M1, M2).codes()).containsExactly(HandOverResult.GONE, HandOverResult.GONE);
        first.succeed(M2, token, null, -1);
        assertThat(redeliver("x", M2, M1).codes())
                .as("the same again, whatever became of it")
                .containsExactly(HandOverResult.OK, HandOverResult.DONE);
    }

    @Test
    void whatWasGivenUpIsRememberedLikeAPage() {
        first.acquire();
        first.claim(M1, null);
        first.claim(M2, null);
        redeliver("x", M2, M1);
        assertThat(pages(recall().history())).containsExactly(IdentityPage.REDELIVERED + " " + ONE + TWO);
        first.committed(9);
        assertThat(pages(first.acquire().history())).containsExactly(IdentityPage.REDELIVERED + " " + ONE + TWO);
    }

    @Test
    void aBuriedMessageIsOwedOrRememberedToo() {
        first.acquire();
        HandOver buried = new HandOver(M1, null, StoreRequest.AWAITS_REDELIVERY, new Move.Bury(), envelope(null, 0));
        assertThat(first.hand(buried)).containsExactly(HandOverResult.OK);
        assertThat(first.bury(M2, 4)).isEqualTo(HandOverResult.OK);
        assertThat(first.acquire().history().awaitingRedelivery()).containsExactly(M1);
        assertThat(first.bury(M1, 4)).isEqualTo(HandOverResult.DONE);
        assertThat(pages(first.acquire().history())).containsExactly("4 " + TWO + ONE);
    }

    private KnownPositions recall() {
        return (KnownPositions) ask(new ListKnownPositions(partition));
    }

    private RedeliveriesForwarded redeliver(String by, Position... positions) {
        return redeliverAfter(0, by, positions);
    }

    private RedeliveriesForwarded redeliverAfter(long after, String by, Position... positions) {
        List<Redelivery> messages = Stream.of(positions)
                .map(position -> new Redelivery(position, envelope(null, 0)))
                .toList();
        return (RedeliveriesForwarded) ask(new ForwardRedeliveries(partition, by, after, messages));
    }

    /** Each as its number and its identities. */
    private static List<String> pages(RedeliveryHistory history) {
        return history.pages().stream()
                .map(page -> page.number() + " " + new String(page.identities(), StandardCharsets.US_ASCII))
                .toList();
    }
}
