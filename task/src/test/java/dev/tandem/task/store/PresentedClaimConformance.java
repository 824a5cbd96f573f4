package dev.tandem.task.store;

import static dev.tandem.task.store.OwnerClient.park;
import static dev.tandem.task.store.OwnerClient.parkHeld;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Verdict;
import org.junit.jupiter.api.Test;

/** {@link StoreRequest.PresentedClaim}: which claims of a returning owner hold. */
interface PresentedClaimConformance extends StoreFixture {

    @Test
    default void aPresentedClaimIsWritten() {
        first().acquire();
        long token = first().epoch + 5;
        Acquired acquired = first().acquire(new PresentedClaim(P1, token, KEY, 1, new SettledMark.Offset(3)));
        assertThat(acquired.presentedTokens()).containsExactly(token);
        assertThat(acquired.epoch()).isGreaterThan(token);
        assertThat(acquired.otherClaims()).isEmpty();
        assertThat(acquired.nextLapseMillis()).isBetween(1L, OwnerClient.LONG);
        assertThat(first().succeed(P1, token, KEY, 3)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    default void aPresentedClaimThatStillStandsIsKept() {
        first().acquire();
        long token = first().claim(P1, KEY);
        assertThat(first().acquire(new PresentedClaim(P1, token, KEY, 1, new SettledMark.Offset(3)))
                        .presentedTokens())
                .containsExactly(token);
        assertThat(first().succeed(P1, token, KEY, 3)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    default void aPresentedClaimOfASettledPositionIsSkipped() {
        first().acquire();
        long succeeded = first().claim(P1, null);
        first().succeed(P1, succeeded, null, 3);
        long died = first().claim(P2, null);
        first().die(P2, died, null, SettledMark.NONE, DeadHead.SKIP);
        long retried = first().claim(P3, null);
        first().retry(P3, retried, null, 4, OwnerClient.LONG);
        Acquired acquired = first().acquire(
                        new PresentedClaim(P1, succeeded, null, 1, new SettledMark.Offset(3)),
                        new PresentedClaim(P2, died, null, 1, SettledMark.NONE),
                        new PresentedClaim(P3, retried, null, 1, new SettledMark.Offset(4)));
        assertThat(acquired.presentedTokens()).isEmpty();
        assertThat(acquired.nextLapseMillis()).isEqualTo(-1);
    }

    @Test
    default void aPresentedClaimUnderALowerTokenIsSkipped() {
        first().acquire();
        long old = first().nextToken();
        long token = first().claim(P1, null);
        second().generation = 2;
        second().acquire();
        assertThat(second().acquire(new PresentedClaim(P1, old, null, 1, SettledMark.NONE))
                        .presentedTokens())
                .isEmpty();
        assertThat(first().settleLate(P1, token, null, SettledMark.NONE, new Verdict.Success(null)))
                .isTrue();
    }

    @Test
    default void aPresentedClaimIsSkippedIfAnotherExecutorClaimedItsKeySince() {
        first().acquire();
        long old = first().nextToken();
        long token = first().claim(P2, "k");
        second().generation = 2;
        second().acquire();
        assertThat(second().acquire(new PresentedClaim(P1, old, "k", 1, SettledMark.NONE))
                        .presentedTokens())
                .isEmpty();
        assertThat(first().settleLate(P2, token, "k", SettledMark.NONE, new Verdict.Success(null)))
                .isTrue();
    }

    @Test
    default void aPresentedClaimWhoseOutcomeWasAppliedIsSkipped() {
        first().acquire();
        first().blockKey(KEY, P1, 0);
        first().takeCustody(park(P2, KEY, 2));
        long token = first().claimDue(1, 0).claimed().get(0).token();
        first().settle(P1, token, KEY, SettledMark.NONE, new Verdict.Success(null), 0);
        Acquired acquired = first().acquire(new PresentedClaim(P1, token, KEY, 2, SettledMark.NONE, first().number));
        assertThat(acquired.presentedTokens()).isEmpty();
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P2));
        long lost = first().nextToken();
        assertThat(first().acquire(new PresentedClaim(P3, lost, "other", 2, SettledMark.NONE, first().number + 1))
                        .presentedTokens())
                .as("the outcome was sent, but not applied")
                .containsExactly(lost);
    }

    @Test
    default void aPresentedClaimTakesItsTaskOutOfRetryAndSchedule() {
        first().acquire();
        first().retry(P1, first().claim(P1, KEY), KEY, 1, 0);
        first().schedule(P2, null, 2, storeTime() - 5);
        Acquired acquired = first().acquire(
                        new PresentedClaim(P1, first().nextToken(), KEY, 2, new SettledMark.Offset(1)),
                        new PresentedClaim(P2, first().nextToken(), null, 1, SettledMark.NONE));
        assertThat(acquired.presentedTokens()).hasSize(2);
        assertThat(acquired.nextDueMillis()).isEqualTo(-1);
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
        assertThat(first().claimDue(9, 9).claimed()).isEmpty();
    }

    @Test
    default void aPresentedClaimTakesItsTaskOutOfTheLane() {
        first().acquire();
        first().blockKey(KEY, P1, OwnerClient.LONG);
        first().takeCustody(park(P2, KEY, 2), park(P3, KEY, 3));
        long token = first().nextToken();
        assertThat(first().acquire(new PresentedClaim(P2, token, KEY, 1, SettledMark.NONE))
                        .presentedTokens())
                .containsExactly(token);
        assertThat(first().takeCustody(parkHeld(P2, KEY))).containsExactly(HandOverResult.DONE);
        SettleResult settled =
                first().settle(P2, token, KEY, SettledMark.NONE, new Verdict.Success(null), first().nextToken());
        assertThat(settled)
                .isInstanceOfSatisfying(
                        SettleResult.Next.class,
                        next -> assertThat(next.position()).isEqualTo(P3));
    }

    @Test
    default void theLatestPresentedClaimHeadsItsKey() {
        first().acquire();
        first().blockKey(KEY, P1, 0);
        first().takeCustody(park(P2, KEY, 2), park(P3, KEY, 3));
        long t1 = first().nextToken();
        long t2 = first().nextToken();
        Acquired acquired = first().acquire(
                        new PresentedClaim(P2, t2, KEY, 1, SettledMark.NONE),
                        new PresentedClaim(P1, t1, KEY, 2, SettledMark.NONE));
        assertThat(acquired.presentedTokens()).containsExactlyInAnyOrder(t1, t2);
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P2));
        assertThat(first().settle(P1, t1, KEY, SettledMark.NONE, new Verdict.Success(null), t2))
                .isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(first().succeed(P2, t2, KEY, SettledMark.NONE)).isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(first().claimDue(9, 9).claimed())
                .extracting(DueTask::position)
                .containsExactly(P3);
    }

    @Test
    default void aPresentedClaimRestoresAHeadThatAwaitedRedelivery() {
        first().leaseMillis = SHORT;
        first().acquire();
        long token = first().claim(P1, KEY);
        letTimePass(SHORT + 1);
        first().expireLeases();
        first().leaseMillis = OwnerClient.LONG;
        Acquired acquired = first().acquire(new PresentedClaim(P1, token, KEY, 1, new SettledMark.Offset(1)));
        assertThat(acquired.presentedTokens()).containsExactly(token);
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
        assertThat(first().succeed(P1, token, KEY, 1)).isEqualTo(SettleResult.Ok.OPENED);
    }

    @Test
    default void anotherExecutorsClaimIsDroppedIfALaterOneOfItsKeyIsPresented() {
        first().acquire();
        first().claim(P1, KEY);
        second().generation = 2;
        second().acquire();
        long token = second().nextToken();
        Acquired acquired = second().acquire(new PresentedClaim(P2, token, KEY, 1, SettledMark.NONE));
        assertThat(acquired.presentedTokens()).containsExactly(token);
        assertThat(acquired.otherClaims()).isEmpty();
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P2));
        assertThat(second().succeed(P2, token, KEY, SettledMark.NONE)).isEqualTo(SettleResult.Ok.OPENED);
    }
}
