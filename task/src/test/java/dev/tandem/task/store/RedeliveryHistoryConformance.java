package dev.tandem.task.store;

import static dev.tandem.task.store.OwnerClient.envelope;
import static dev.tandem.task.store.QueueFixture.pages;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.LapsedClaim;
import dev.tandem.task.store.StoreAnswer.OtherClaim;
import dev.tandem.task.store.StoreAnswer.RedeliveryHistory;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import org.junit.jupiter.api.Test;

/** Message queues: what a partition remembers of settled and lapsed positions, so that a redelivery is recognised. */
interface RedeliveryHistoryConformance extends QueueFixture {

    // Identity pages

    @Test
    default void identitiesOfSettledTasksAreAppendedToTheirPage() {
        owner().acquire();
        owner().succeed(M1, owner().claim(M1, null), null, 0);
        owner().retry(M2, owner().claim(M2, null), null, 3, OwnerClient.LONG);
        owner().die(TWIN, owner().claim(TWIN, null), null, 3, DeadHead.HALT);
        owner().succeed(C1, owner().claim(C1, null), null, SettledMark.NONE);
        assertThat(pages(owner().acquire().history())).containsExactly("0 " + ONE, "3 " + TWO + ONE);
        assertThat(pages(knownPositions().history())).containsExactly("0 " + ONE, "3 " + TWO + ONE);
    }

    @Test
    default void identitiesOfHandedOverTasksAreAppendedToTheirPage() {
        owner().acquire();
        owner().claim(TWIN, null);
        assertThat(owner().schedule(M1, null, 1, storeTime() + OwnerClient.LONG))
                .isEqualTo(HandOverResult.OK);
        assertThat(owner().adopt(TWIN, null, 1)).isEqualTo(HandOverResult.OK);
        assertThat(owner().adopt(M2, null, 1)).isEqualTo(HandOverResult.GONE);
        assertThat(owner().schedule(M1, null, 2, storeTime() + OwnerClient.LONG))
                .isEqualTo(HandOverResult.DONE);
        assertThat(pages(owner().acquire().history())).containsExactly("1 " + ONE + ONE, "2 " + ONE);
    }

    @Test
    default void refusedAndReturnedOutcomesLeaveNoIdentity() {
        owner().acquire();
        long token = owner().claim(M1, null);
        owner().settle(M1, token, null, 0, new Verdict.Returned());
        owner().succeed(M1, token, null, 0);
        assertThat(owner().acquire().history()).isEqualTo(RedeliveryHistory.NONE);
    }

    @Test
    default void aPageSetsNoBit() {
        owner().acquire();
        owner().succeed(M1, owner().claim(M1, null), null, 7);
        Acquired acquired = owner().acquire();
        assertThat(acquired.chunks()).isEmpty();
        assertThat(acquired.storedCommit()).isEqualTo(-1);
        assertThat(owner().tryClaim(M2, null, false)).isEqualTo(ClaimResult.Ok.FIRST);
        assertThat(owner().succeed(M2, owner().lastToken() - 1, null, 7)).isEqualTo(SettleResult.Refused.INSTANCE);
        assertThat(owner().succeed(M2, owner().lastToken(), null, 7)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    default void pagesBelowACommitAreDeleted() {
        owner().acquire();
        for (int page = 0; page < 4; page++) {
            Position position = new Position("m" + ONE + ":w." + page);
            owner().succeed(position, owner().claim(position, null), null, page);
        }
        owner().recordCommit(2);
        Acquired acquired = owner().acquire();
        assertThat(pages(acquired.history())).containsExactly("2 " + ONE, "3 " + ONE);
        assertThat(acquired.storedCommit()).isEqualTo(-1);
        owner().recordCommit(4);
        assertThat(owner().acquire().history()).isEqualTo(RedeliveryHistory.NONE);
    }

    // Lapsed positions

    @Test
    default void lapsedPositionsAreListedUntilTheyAreClaimedOrAbandoned() {
        owner().leaseMillis = SHORT;
        owner().acquire();
        owner().claim(M1, null);
        owner().claim(M2, KEY);
        owner().blockKey("other", TWIN, 0);
        owner().claimDue(9, 9);
        letTimePass(SHORT + 1);
        assertThat(owner().expireLeases().returned()).isEqualTo(3);
        successor().acquire();
        assertThat(successor().acquire().history().lapsed())
                .containsExactlyInAnyOrder(new LapsedClaim(M1, 1), new LapsedClaim(M2, 1));
        assertThat(successor().tryClaim(M1, null, false)).isEqualTo(new ClaimResult.Ok(1));
        assertThat(knownPositions().history().lapsed()).containsExactly(new LapsedClaim(M2, 1));
        successor().abandon(M2, KEY);
        assertThat(knownPositions().history().lapsed()).isEmpty();
    }

    @Test
    default void abandoningAnUnkeyedPositionForgetsItsLapsesUnlessItIsClaimed() {
        owner().leaseMillis = SHORT;
        owner().acquire();
        owner().claim(M1, null);
        letTimePass(SHORT + 1);
        owner().expireLeases();
        owner().claim(M1, null);
        owner().abandon(M1, null);
        letTimePass(SHORT + 1);
        owner().expireLeases();
        assertThat(knownPositions().history().lapsed())
                .as("the position was claimed when it was abandoned")
                .containsExactly(new LapsedClaim(M1, 2));
        owner().abandon(M1, null);
        assertThat(knownPositions().history()).isEqualTo(RedeliveryHistory.NONE);
    }

    // Positions that await redelivery

    @Test
    default void aTaskThatAFormerOwnerSettledAwaitsRedelivery() {
        owner().acquire();
        long success = owner().claim(M1, null);
        long retry = owner().claim(M2, null);
        long dead = owner().claim(C1, null);
        long returned = owner().claim(TWIN, null);
        assertThat(successor().acquire().otherClaims())
                .extracting(OtherClaim::inStore)
                .containsOnly(false);
        owner().settleLate(M1, success, null, 5, new Verdict.Success(null));
        owner().settleLate(M2, retry, null, 5, new Verdict.Retry(0, envelope(null, retry)));
        owner().settleLate(C1, dead, null, SettledMark.NONE, new Verdict.Dead(DeadHead.HALT, envelope(null, dead)));
        owner().settleLate(TWIN, returned, null, 5, new Verdict.Returned());
        RedeliveryHistory history = successor().acquire().history();
        assertThat(history.awaitingRedelivery()).containsExactlyInAnyOrder(M1, M2, C1);
        assertThat(history.pages()).isEmpty();
        assertThat(knownPositions().history().awaitingRedelivery()).containsExactlyInAnyOrder(M1, M2, C1);
    }

    @Test
    default void theAwaitedRedeliveryOfASettledTaskIsDoneAndEntersAPage() {
        owner().acquire();
        long token = owner().claim(M1, KEY);
        successor().acquire();
        owner().settleLate(M1, token, KEY, SettledMark.NONE, new Verdict.Success(null));
        assertThat(successor().tryClaim(M1, KEY, false)).isEqualTo(ClaimResult.Done.INSTANCE);
        assertThat(successor().adopt(M1, KEY, 2)).isEqualTo(HandOverResult.DONE);
        RedeliveryHistory history = successor().acquire().history();
        assertThat(history.awaitingRedelivery()).isEmpty();
        assertThat(pages(history)).containsExactly("2 " + ONE);
        assertThat(successor().adopt(M1, KEY, 2))
                .as("its message was redelivered once")
                .isEqualTo(HandOverResult.GONE);
    }

    @Test
    default void aRetryRunsWhileItsMessageAwaitsRedelivery() {
        owner().acquire();
        owner().retry(M1, owner().claim(M1, KEY), KEY, SettledMark.AWAITS_REDELIVERY, 0);
        owner().schedule(C1, "other", SettledMark.AWAITS_REDELIVERY, storeTime() - 5);
        assertThat(owner().claimDue(9, 9).claimed())
                .extracting(DueTask::position)
                .containsExactly(M1);
        assertThat(owner().tryClaim(C1, "other", true)).isEqualTo(ClaimResult.Ok.FIRST);
        assertThat(knownPositions().history().awaitingRedelivery()).hasSize(2);
    }

    @Test
    default void aTaskWhoseMessageWasRedeliveredAwaitsNothing() {
        owner().acquire();
        long token = owner().claim(M1, null);
        successor().acquire();
        assertThat(successor().adopt(M1, null, 2)).isEqualTo(HandOverResult.OK);
        owner().settleLate(M1, token, null, 2, new Verdict.Success(null));
        RedeliveryHistory history = successor().acquire().history();
        assertThat(history.awaitingRedelivery()).isEmpty();
        assertThat(pages(history)).containsExactly("2 " + ONE);
    }

    @Test
    default void anOwnerCanNoteThatATaskAwaitsRedelivery() {
        owner().acquire();
        owner().succeed(M1, owner().claim(M1, null), null, SettledMark.AWAITS_REDELIVERY);
        owner().claim(C1, null);
        assertThat(owner().adopt(C1, null, SettledMark.AWAITS_REDELIVERY)).isEqualTo(HandOverResult.OK);
        assertThat(owner().adopt(C1, null, SettledMark.AWAITS_REDELIVERY)).isEqualTo(HandOverResult.DONE);
        assertThat(owner().acquire(new PresentedClaim(C1, owner().lastToken(), null, 1, SettledMark.NONE))
                        .history()
                        .awaitingRedelivery())
                .containsExactlyInAnyOrder(M1, C1);
        assertThat(owner().adopt(C1, null, SettledMark.NONE)).isEqualTo(HandOverResult.DONE);
        owner().succeed(C1, owner().lastToken() - 1, null, SettledMark.AWAITS_REDELIVERY);
        assertThat(knownPositions().history().awaitingRedelivery()).containsExactly(M1);
        owner().abandon(M1, null);
        assertThat(knownPositions().history()).isEqualTo(RedeliveryHistory.NONE);
    }

    @Test
    default void aTaskThatAwaitsRedeliveryCountsAsSettled() {
        owner().acquire();
        long token = owner().claim(M1, null);
        successor().acquire();
        owner().settleLate(M1, token, null, SettledMark.NONE, new Verdict.Success(null));
        assertThat(owner().settleLate(M1, token, null, SettledMark.NONE, new Verdict.Success(null)))
                .as("the outcome is recorded already")
                .isTrue();
        assertThat(successor()
                        .acquire(new PresentedClaim(M1, token, null, 1, SettledMark.NONE))
                        .presentedTokens())
                .isEmpty();
    }

    @Test
    default void aBuriedMessageAwaitsRedeliveryOrEntersAPage() {
        owner().acquire();
        HandOver buried = new HandOver(M1, null, SettledMark.AWAITS_REDELIVERY, new Move.Bury(), envelope(null, 0));
        assertThat(owner().takeCustody(buried)).containsExactly(HandOverResult.OK);
        assertThat(owner().bury(M2, 4)).isEqualTo(HandOverResult.OK);
        assertThat(owner().acquire().history().awaitingRedelivery()).containsExactly(M1);
        assertThat(owner().bury(M1, 4)).isEqualTo(HandOverResult.DONE);
        assertThat(pages(owner().acquire().history())).containsExactly("4 " + TWO + ONE);
    }

    // Relays

    @Test
    default void aFormerOwnersRelayIsRecordedWhileNobodyElseOwnsThePartition() {
        owner().acquire();
        long token = owner().claim(M1, KEY);
        Claim next = new Claim(M2, owner().nextToken(), KEY, false);
        owner().release();
        assertThat(owner().settleLate(relaying(M1, token, next))).isTrue();
        Acquired acquired = successor().acquire();
        assertThat(acquired.history().awaitingRedelivery()).containsExactly(M1);
        assertThat(acquired.otherClaims()).extracting(OtherClaim::position).containsExactly(M2);
    }

    @Test
    default void aFormerOwnersRelayIsRefusedOnceAnotherExecutorOwnsThePartition() {
        owner().acquire();
        long token = owner().claim(M1, KEY);
        Claim next = new Claim(M2, owner().nextToken(), KEY, false);
        successor().acquire();
        assertThat(owner().settleLate(relaying(M1, token, next))).isFalse();
        assertThat(owner().settleLate(M2, next.token(), KEY, SettledMark.NONE, new Verdict.Success(null)))
                .isFalse();
        Acquired acquired = successor().acquire();
        assertThat(acquired.history()).isEqualTo(RedeliveryHistory.NONE);
        assertThat(acquired.otherClaims()).extracting(OtherClaim::position).containsExactly(M1);
    }

    private static Settle relaying(Position position, long token, Claim next) {
        return new Settle(position, token, KEY, SettledMark.NONE, new Verdict.Success(null), 0, next);
    }
}
