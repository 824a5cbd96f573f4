package dev.tandem.task.store;

import static dev.tandem.task.store.OwnerClient.envelope;
import static dev.tandem.task.store.OwnerClient.park;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Verdict;
import org.junit.jupiter.api.Test;

/** {@link StoreRequest.Settle}: what each verdict does to the task, its key and its lane. */
interface SettleConformance extends StoreFixture {

    @Test
    default void aSuccessEndsItsClaimAndSetsItsBit() {
        first().acquire();
        long token = first().claim(P1, null);
        assertThat(first().succeed(P1, token, null, 7)).isEqualTo(SettleResult.Ok.PLAIN);
        Acquired acquired = first().acquire();
        assertThat(acquired.nextLapseMillis()).isEqualTo(-1);
        assertThat(acquired.chunks()).hasSize(1).allMatch(chunk -> chunk.has(7));
    }

    // Outcomes without a claim under their token

    @Test
    default void anOutcomeThatIsRecordedAlreadyIsDone() {
        first().acquire();
        long succeeded = first().claim(P1, null);
        first().succeed(P1, succeeded, null, 1);
        assertThat(first().succeed(P1, succeeded, null, 1)).isEqualTo(SettleResult.Done.INSTANCE);
        long retried = first().claim(P2, null);
        first().retry(P2, retried, null, 2, OwnerClient.LONG);
        assertThat(first().retry(P2, retried, null, 2, 0)).isEqualTo(SettleResult.Done.INSTANCE);
        long died = first().claim(P3, null);
        first().die(P3, died, null, 3, DeadHead.HALT);
        assertThat(first().die(P3, died, null, 3, DeadHead.HALT)).isEqualTo(SettleResult.Done.INSTANCE);
    }

    @Test
    default void anOutcomeUnderAnotherTokenIsRefused() {
        first().acquire();
        long token = first().claim(P1, KEY);
        assertThat(first().succeed(P1, token - 1, KEY, 1)).isEqualTo(SettleResult.Refused.INSTANCE);
        assertThat(first().succeed(P1, token + 1, KEY, 1)).isEqualTo(SettleResult.Refused.INSTANCE);
        assertThat(first().retry(P1, token - 1, KEY, 1, 0)).isEqualTo(SettleResult.Refused.INSTANCE);
        assertThat(first().succeed(P1, token, KEY, 1)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    default void aRepeatedSuccessWithoutABitIsRefused() {
        first().acquire();
        long token = first().claim(P1, null);
        first().succeed(P1, token, null, SettledMark.NONE);
        assertThat(first().succeed(P1, token, null, SettledMark.NONE)).isEqualTo(SettleResult.Refused.INSTANCE);
    }

    @Test
    default void aSuccessOfATaskThatWasPutBackIsRefusedThoughItsBitIsSet() {
        first().leaseMillis = SHORT;
        first().acquire();
        long token = first().claim(P1, null);
        first().adopt(P1, null, 1);
        letTimePass(SHORT + 1);
        first().expireLeases();
        assertThat(first().succeed(P1, token, null, 1)).isEqualTo(SettleResult.Refused.INSTANCE);
    }

    @Test
    default void anOutcomeIsRecordedEvenAfterItsLeaseRanOut() {
        first().leaseMillis = SHORT;
        first().acquire();
        long token = first().claim(P1, null);
        letTimePass(SHORT + 1);
        assertThat(first().succeed(P1, token, null, 1)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    // Retry, and the lane behind it

    @Test
    default void aRetryIsDueAfterItsDelayWithItsNewEnvelope() {
        first().acquire();
        long token = first().claim(P1, null);
        assertThat(first().retry(P1, token, null, 4, SHORT)).isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(first().acquire().chunks()).hasSize(1).allMatch(chunk -> chunk.has(4));
        letTimePass(SHORT + 1);
        DueTask due = first().claimDue(1, 0).claimed().get(0);
        assertThat(due.position()).isEqualTo(P1);
        assertThat(due.envelope()).isEqualTo(envelope(null, token));
    }

    @Test
    default void aRetryBlocksItsKeyUntilItEnds() {
        first().acquire();
        first().blockKey(KEY, P1, 0);
        assertThat(first().blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
        assertThat(first().tryClaim(P2, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
        DueTask due = first().claimDue(1, 0).claimed().get(0);
        assertThat(first().tryClaim(P2, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
        assertThat(first().succeed(P1, due.token(), KEY, SettledMark.NONE)).isEqualTo(SettleResult.Ok.OPENED);
        assertThat(first().blocked()).isEmpty();
        first().claim(P2, KEY);
    }

    @Test
    default void theNextTaskOfTheLaneIsClaimedUnderTheGivenToken() {
        first().acquire();
        first().blockKey(KEY, P1, 0);
        first().takeCustody(park(P2, KEY, 2), park(P3, KEY, 3));
        DueTask due = first().claimDue(1, 0).claimed().get(0);
        long token = first().nextToken();
        SettleResult.Next next = (SettleResult.Next)
                first().settle(P1, due.token(), KEY, SettledMark.NONE, new Verdict.Success(null), token);
        assertThat(next.position()).isEqualTo(P2);
        assertThat(next.lapses()).isEqualTo(0);
        assertThat(next.envelope()).isEqualTo(envelope(KEY, 0));
        assertThat(first().acquire(new PresentedClaim(P2, token, KEY, 1, SettledMark.NONE))
                        .blocked())
                .containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P2));
        long last = first().nextToken();
        assertThat(first().settle(P2, token, KEY, SettledMark.NONE, new Verdict.Success(null), last))
                .isInstanceOf(SettleResult.Next.class);
        assertThat(first().settle(P3, last, KEY, SettledMark.NONE, new Verdict.Success(null), first().nextToken()))
                .isEqualTo(SettleResult.Ok.OPENED);
    }

    @Test
    default void aKeyGoesOnBehindAHeadThatExpiredOrWasCancelled() {
        first().acquire();
        first().blockKey(KEY, P1, 0);
        first().takeCustody(park(P2, KEY, 2), park(P3, KEY, 3));
        DueTask due = first().claimDue(1, 0).claimed().get(0);
        long token = first().nextToken();
        assertThat(first().settle(P1, due.token(), KEY, new SettledMark.Offset(1), ended(TaskEnd.EXPIRED), token))
                .isInstanceOf(SettleResult.Next.class);
        assertThat(first().settle(P1, due.token(), KEY, new SettledMark.Offset(1), ended(TaskEnd.EXPIRED), 0))
                .as("once more")
                .isEqualTo(SettleResult.Done.INSTANCE);
        assertThat(first().settle(P2, token, KEY, SettledMark.NONE, ended(TaskEnd.CANCELLED), 0))
                .isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(first().claimDue(9, 9).claimed())
                .extracting(DueTask::position)
                .containsExactly(P3);
    }

    private static Verdict ended(TaskEnd end) {
        return new Verdict.Success(new SuccessRecord("id", null, KEY, 1, 1, 1, "executor", null, end));
    }

    @Test
    default void withoutATokenTheNextTaskOfTheLaneIsDueAtOnce() {
        first().acquire();
        first().blockKey(KEY, P1, 0);
        first().takeCustody(park(P2, KEY, 2), park(P3, KEY, 3));
        DueTask due = first().claimDue(1, 0).claimed().get(0);
        assertThat(first().succeed(P1, due.token(), KEY, SettledMark.NONE)).isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(first().blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P2));
        assertThat(first().claimDue(9, 9).claimed())
                .extracting(DueTask::position)
                .containsExactly(P2);
    }

    @Test
    default void aRetriedHeadStaysTheHeadOfItsKey() {
        first().acquire();
        first().blockKey(KEY, P1, 0);
        first().takeCustody(park(P2, KEY, 2));
        DueTask due = first().claimDue(1, 0).claimed().get(0);
        assertThat(first().settle(
                                P1,
                                due.token(),
                                KEY,
                                SettledMark.NONE,
                                new Verdict.Retry(0, envelope(KEY, due.token())),
                                99))
                .isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(first().claimDue(9, 9).claimed())
                .extracting(DueTask::position)
                .containsExactly(P1);
    }

    // Dead

    @Test
    default void aDeadTaskHaltsItsKey() {
        first().acquire();
        assertThat(first().die(P1, first().claim(P1, KEY), KEY, 1, DeadHead.HALT))
                .isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(first().blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HALTED, P1));
        assertThat(first().takeCustody(park(P2, KEY, 2))).containsExactly(HandOverResult.OK);
        assertThat(first().claimDue(9, 9).claimed()).isEmpty();
        assertThat(first().tryClaim(P3, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
    }

    @Test
    default void aDeadTaskWithoutAKeyBlocksNothing() {
        first().acquire();
        assertThat(first().die(P1, first().claim(P1, null), null, 1, DeadHead.HALT))
                .isEqualTo(SettleResult.Ok.PLAIN);
        Acquired acquired = first().acquire();
        assertThat(acquired.blockedKeys()).isZero();
        assertThat(acquired.chunks()).hasSize(1).allMatch(chunk -> chunk.has(1));
        assertThat(first().tryClaim(P1, null, false)).isEqualTo(ClaimResult.Done.INSTANCE);
    }

    @Test
    default void aSkippedDeadHeadLetsItsLaneContinue() {
        first().acquire();
        first().blockKey(KEY, P1, 0);
        first().takeCustody(park(P2, KEY, 2));
        DueTask due = first().claimDue(1, 0).claimed().get(0);
        long token = first().nextToken();
        SettleResult settled = first().settle(
                        P1,
                        due.token(),
                        KEY,
                        SettledMark.NONE,
                        new Verdict.Dead(DeadHead.SKIP, envelope(KEY, due.token())),
                        token);
        assertThat(settled).isInstanceOf(SettleResult.Next.class);
        assertThat(first().die(P2, token, KEY, SettledMark.NONE, DeadHead.SKIP)).isEqualTo(SettleResult.Ok.OPENED);
    }

    @Test
    default void aSkippedDeadTaskThatIsNoHeadChangesNoKey() {
        first().acquire();
        assertThat(first().die(P1, first().claim(P1, KEY), KEY, 1, DeadHead.SKIP))
                .isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(first().blocked()).isEmpty();
    }

    @Test
    default void aDrainingDeadHeadTakesItsLaneAlong() {
        first().acquire();
        first().blockKey(KEY, P1, 0);
        first().takeCustody(park(P2, KEY, 2), park(P3, KEY, 3));
        DueTask due = first().claimDue(1, 0).claimed().get(0);
        assertThat(first().die(P1, due.token(), KEY, SettledMark.NONE, DeadHead.DRAIN))
                .isEqualTo(SettleResult.Ok.OPENED);
        assertThat(first().blocked()).isEmpty();
        assertThat(first().tryClaim(P2, KEY, false)).isEqualTo(ClaimResult.Done.INSTANCE);
        assertThat(first().tryClaim(P3, KEY, true)).isEqualTo(ClaimResult.Done.INSTANCE);
        assertThat(first().tryClaim(P4, KEY, false)).isEqualTo(ClaimResult.Ok.FIRST);
    }

    // Returned

    @Test
    default void aReturnedTaskInTheBrokersCustodyCanBeClaimedAgain() {
        first().acquire();
        long token = first().claim(P1, KEY);
        assertThat(first().settle(P1, token, KEY, 1, new Verdict.Returned())).isEqualTo(SettleResult.Ok.PLAIN);
        Acquired acquired = first().acquire();
        assertThat(acquired.chunks()).isEmpty();
        assertThat(acquired.blockedKeys()).isZero();
        assertThat(first().tryClaim(P1, KEY, false)).isEqualTo(ClaimResult.Ok.FIRST);
    }

    @Test
    default void aReturnedTaskInTheStoresCustodyIsDueAtOnceAndStaysHead() {
        first().acquire();
        first().blockKey(KEY, P1, 0);
        first().takeCustody(park(P2, KEY, 2));
        DueTask due = first().claimDue(1, 0).claimed().get(0);
        first().settle(P1, due.token(), KEY, SettledMark.NONE, new Verdict.Returned(), first().nextToken());
        assertThat(first().blocked()).extracting(BlockedKey::head).containsExactly(P1);
        assertThat(first().claimDue(9, 9).claimed())
                .extracting(DueTask::position)
                .containsExactly(P1);
    }

    @Test
    default void returningATaskSpendsNoAttemptAndForgetsNone() {
        first().leaseMillis = SHORT;
        first().acquire();
        first().claim(P1, KEY);
        letTimePass(SHORT + 1);
        first().expireLeases();
        first().leaseMillis = OwnerClient.LONG;
        long token = first().claim(P1, KEY);
        first().settle(P1, token, KEY, 1, new Verdict.Returned());
        assertThat(first().blocked()).containsExactly(new BlockedKey(KEY, BlockReason.REDELIVERY, P1));
        assertThat(first().tryClaim(P1, KEY, false)).isEqualTo(new ClaimResult.Ok(1));
    }

    @Test
    default void anOutcomeForgetsLapses() {
        first().leaseMillis = SHORT;
        first().acquire();
        first().claim(P1, null);
        letTimePass(SHORT + 1);
        first().expireLeases();
        assertThat(first().tryClaim(P1, null, false)).isEqualTo(new ClaimResult.Ok(1));
        first().retry(P1, first().lastToken(), null, 1, 0);
        assertThat(first().claimDue(1, 0).claimed()).extracting(DueTask::lapses).containsExactly(0);
    }
}
