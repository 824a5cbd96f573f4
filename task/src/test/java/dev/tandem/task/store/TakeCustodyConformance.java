package dev.tandem.task.store;

import static dev.tandem.task.store.OwnerClient.adoptHeld;
import static dev.tandem.task.store.OwnerClient.park;
import static dev.tandem.task.store.OwnerClient.parkHeld;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.OtherClaim;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Verdict;
import org.junit.jupiter.api.Test;

/** {@link StoreRequest.TakeCustody}: scheduling, parking, adopting, burying and cancelling tasks. */
interface TakeCustodyConformance extends StoreFixture {

    @Test
    default void aScheduledTaskWaitsUntilItIsDue() {
        first().acquire();
        assertThat(first().schedule(P1, KEY, 1, storeTime() + OwnerClient.LONG)).isEqualTo(HandOverResult.OK);
        assertThat(first().claimDue(9, 9)).satisfies(due -> {
            assertThat(due.claimed()).isEmpty();
            assertThat(due.offered()).isEmpty();
            assertThat(due.nextDueMillis()).isBetween(1L, OwnerClient.LONG);
            assertThat(due.more()).isFalse();
        });
        Acquired acquired = first().acquire();
        assertThat(acquired.blockedKeys()).isZero();
        assertThat(acquired.chunks()).hasSize(1).allMatch(chunk -> chunk.has(1));
        assertThat(acquired.nextDueMillis()).isBetween(1L, OwnerClient.LONG);
    }

    @Test
    default void theHandOverOfASettledTaskIsDoneAndSetsItsBit() {
        first().acquire();
        first().succeed(P1, first().claim(P1, null), null, 1);
        first().schedule(P2, null, SettledMark.NONE, storeTime() + OwnerClient.LONG);
        first().bury(P3, SettledMark.NONE);
        assertThat(first().schedule(P1, null, 1, storeTime())).isEqualTo(HandOverResult.DONE);
        assertThat(first().schedule(P2, null, 2, storeTime())).isEqualTo(HandOverResult.DONE);
        assertThat(first().adopt(P3, null, 3)).isEqualTo(HandOverResult.DONE);
        assertThat(first().acquire().chunks())
                .hasSize(1)
                .allMatch(chunk -> chunk.has(1) && chunk.has(2) && chunk.has(3) && !chunk.has(4));
    }

    // Park

    @Test
    default void aTaskIsParkedOnlyBehindABlockedKey() {
        first().acquire();
        assertThat(first().takeCustody(park(P1, KEY, 1))).containsExactly(HandOverResult.OPEN);
        assertThat(first().acquire().chunks()).isEmpty();
        assertThat(first().tryClaim(P1, KEY, false)).isEqualTo(ClaimResult.Ok.FIRST);
    }

    @Test
    default void theHeadOfAKeyIsNotParked() {
        first().leaseMillis = SHORT;
        first().acquire();
        first().claim(P1, KEY);
        letTimePass(SHORT + 1);
        first().expireLeases();
        assertThat(first().takeCustody(park(P1, KEY, 1), park(P2, KEY, 2)))
                .containsExactly(HandOverResult.OPEN, HandOverResult.OK);
    }

    @Test
    default void aFullLaneStaysFullForTheRestOfTheRequest() {
        first().acquire();
        first().blockKey(KEY, P1, 0);
        first().blockKey("other", P4, 0);
        assertThat(first().takeCustody(
                                1,
                                100,
                                park(P2, KEY, 2),
                                park(P3, KEY, 3),
                                park(new Position("1:5"), "other", 5),
                                park(new Position("1:6"), KEY, 6)))
                .containsExactly(HandOverResult.OK, HandOverResult.FULL, HandOverResult.OK, HandOverResult.FULL);
        assertThat(first().acquire().chunks()).allMatch(chunk -> chunk.has(2) && !chunk.has(3) && !chunk.has(6));
    }

    @Test
    default void thePartitionsBoundCountsTheTasksOfAllLanesAndNoOthers() {
        first().acquire();
        first().blockKey(KEY, P1, OwnerClient.LONG);
        first().blockKey("other", P4, OwnerClient.LONG);
        first().schedule(new Position("1:7"), null, 7, storeTime() + OwnerClient.LONG);
        assertThat(first().takeCustody(
                                100, 2, park(P2, KEY, 2), park(new Position("1:5"), "other", 5), park(P3, KEY, 3)))
                .containsExactly(HandOverResult.OK, HandOverResult.OK, HandOverResult.FULL);
    }

    @Test
    default void parkingATaskThatTheStoreForgotSetsNoBit() {
        first().acquire();
        first().blockKey(KEY, P1, OwnerClient.LONG);
        assertThat(first().takeCustody(new HandOver(P2, KEY, new SettledMark.Offset(2), new Move.Park(), null)))
                .containsExactly(HandOverResult.DONE);
        assertThat(first().acquire().chunks()).noneMatch(chunk -> chunk.has(2));
    }

    @Test
    default void aHeldTaskMovesIntoTheLaneOfItsBlockedKey() {
        first().acquire();
        first().schedule(P2, KEY, 2, storeTime() - 5);
        assertThat(first().claimDue(0, 9).offered()).hasSize(1);
        assertThat(first().takeCustody(parkHeld(P2, KEY))).containsExactly(HandOverResult.OPEN);
        first().blockKey(KEY, P1, OwnerClient.LONG);
        assertThat(first().takeCustody(parkHeld(P2, KEY))).containsExactly(HandOverResult.OK);
        assertThat(first().takeCustody(parkHeld(P2, KEY))).containsExactly(HandOverResult.DONE);
        assertThat(first().takeCustody(parkHeld(P3, KEY))).containsExactly(HandOverResult.DONE);
        assertThat(first().acquire().nextDueMillis()).isGreaterThan(SHORT);
    }

    @Test
    default void aTaskInRetryMovesIntoTheLaneOfItsBlockedKey() {
        first().acquire();
        first().schedule(P2, KEY, 2, storeTime() - 5);
        assertThat(first().tryClaim(P2, KEY, true)).isEqualTo(ClaimResult.Ok.FIRST);
        first().settle(P2, first().lastToken(), KEY, SettledMark.NONE, new Verdict.Returned());
        first().blockKey(KEY, P1, OwnerClient.LONG);
        assertThat(first().claimDue(9, 9).offered())
                .extracting(DueTask::position)
                .containsExactly(P2);
        assertThat(first().takeCustody(parkHeld(P2, KEY))).containsExactly(HandOverResult.OK);
        assertThat(first().acquire().nextDueMillis()).isGreaterThan(SHORT);
    }

    // Adopt

    @Test
    default void anAdoptedTaskIsHeldUnderItsClaimAndBlocksItsKey() {
        first().acquire();
        long token = first().claim(P1, KEY);
        assertThat(first().adopt(P1, KEY, 1)).isEqualTo(HandOverResult.OK);
        assertThat(first().takeCustody(park(P2, KEY, 2))).containsExactly(HandOverResult.OK);
        Acquired acquired = first().acquire(new PresentedClaim(P1, token, KEY, 1, new SettledMark.Offset(1)));
        assertThat(acquired.presentedTokens()).containsExactly(token);
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
        assertThat(acquired.chunks()).hasSize(1).allMatch(chunk -> chunk.has(1));
        assertThat(first().settle(P1, token, KEY, 1, new Verdict.Success(null), first().nextToken()))
                .isInstanceOf(SettleResult.Next.class);
    }

    @Test
    default void aTaskOfAnotherExecutorCanBeAdoptedUnderItsClaim() {
        first().acquire();
        long token = first().claim(P1, KEY);
        second().generation = 2;
        second().acquire();
        assertThat(second().adopt(P1, KEY, 1)).isEqualTo(HandOverResult.OK);
        assertThat(second().adopt(P1, KEY, 1)).isEqualTo(HandOverResult.DONE);
        Acquired acquired = second().acquire();
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.OTHER_OWNER, P1));
        assertThat(acquired.otherClaims()).hasSize(1).allMatch(OtherClaim::inStore);
        assertThat(first().settleLate(P1, token, KEY, 1, new Verdict.Success(null)))
                .isTrue();
        assertThat(second().blocked()).isEmpty();
    }

    @Test
    default void aTaskWithoutAClaimCannotBeAdopted() {
        first().acquire();
        assertThat(first().adopt(P1, KEY, 1)).isEqualTo(HandOverResult.GONE);
        Acquired acquired = first().acquire();
        assertThat(acquired.chunks()).isEmpty();
        assertThat(acquired.blockedKeys()).isZero();
    }

    @Test
    default void aRunningTaskThatTheStoreHoldsBlocksItsKeyWhenItIsAdopted() {
        first().acquire();
        first().schedule(P1, KEY, 1, storeTime() - 5);
        assertThat(first().tryClaim(P1, KEY, true)).isEqualTo(ClaimResult.Ok.FIRST);
        long token = first().lastToken();
        assertThat(first().takeCustody(park(P2, KEY, 2))).containsExactly(HandOverResult.OPEN);
        assertThat(first().takeCustody(adoptHeld(P1, KEY), park(P2, KEY, 2)))
                .containsExactly(HandOverResult.OK, HandOverResult.OK);
        assertThat(first().takeCustody(adoptHeld(P1, KEY))).containsExactly(HandOverResult.OK);
        assertThat(first().settle(P1, token, KEY, 1, new Verdict.Success(null), first().nextToken()))
                .isInstanceOf(SettleResult.Next.class);
        assertThat(first().takeCustody(adoptHeld(P1, KEY))).containsExactly(HandOverResult.DONE);
    }

    @Test
    default void nothingIsAdoptedWithoutAnEnvelopeUnlessItIsHeldUnderAClaim() {
        first().acquire();
        first().claim(P1, KEY);
        first().schedule(P2, KEY, 2, storeTime() + OwnerClient.LONG);
        assertThat(first().takeCustody(adoptHeld(P1, KEY), adoptHeld(P2, KEY), adoptHeld(P3, KEY)))
                .containsExactly(HandOverResult.DONE, HandOverResult.DONE, HandOverResult.DONE);
        assertThat(first().acquire().blockedKeys()).isZero();
    }

    // Bury

    @Test
    default void aBuriedTaskIsDeadAndBlocksNoKey() {
        first().acquire();
        assertThat(first().bury(P1, 1)).isEqualTo(HandOverResult.OK);
        Acquired acquired = first().acquire();
        assertThat(acquired.blockedKeys()).isZero();
        assertThat(acquired.chunks()).hasSize(1).allMatch(chunk -> chunk.has(1));
        assertThat(first().tryClaim(P1, null, false)).isEqualTo(ClaimResult.Done.INSTANCE);
    }

    // Cancel

    @Test
    default void aCancelledTaskHasEndedAndItsKeyGoesOn() {
        first().acquire();
        assertThat(first().cancel(P1, KEY, new SettledMark.Offset(1))).isEqualTo(HandOverResult.OK);
        assertThat(first().cancel(P1, KEY, new SettledMark.Offset(1))).isEqualTo(HandOverResult.DONE);
        assertThat(first().claim(P2, KEY)).isPositive();
        Acquired acquired = first().acquire();
        assertThat(acquired.blockedKeys()).isZero();
        assertThat(acquired.chunks()).hasSize(1).allMatch(chunk -> chunk.has(1) && !chunk.has(2));
    }

    @Test
    default void aClaimedTaskIsNotCancelledBesideItsRun() {
        first().acquire();
        long token = first().claim(P1, KEY);
        assertThat(first().cancel(P1, KEY, new SettledMark.Offset(1))).isEqualTo(HandOverResult.GONE);
        assertThat(first().succeed(P1, token, KEY, 1)).isEqualTo(SettleResult.Ok.PLAIN);
    }
}
