package dev.tandem.task.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreAnswer.SettledAndClaimed;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link StoreRequest.Claim}: when a claim is granted, blocked or has nothing to run. */
interface ClaimConformance extends StoreFixture {

    @Test
    default void aClaimThatNamesASetBitIsDone() {
        first().acquire();
        first().succeed(P1, first().claim(P1, KEY), KEY, 1);
        SettledAndClaimed answer = first().settleAndClaim(
                        List.of(),
                        List.of(
                                new Claim(P1, first().nextToken(), KEY, false, new SettledMark.Offset(1)),
                                new Claim(P2, first().nextToken(), KEY, false, new SettledMark.Offset(2))));
        assertThat(answer.claims()).containsExactly(ClaimResult.Done.INSTANCE, ClaimResult.Ok.FIRST);
    }

    @Test
    default void outcomesAreRecordedBeforeClaimsAreGranted() {
        first().acquire();
        first().blockKey(KEY, P1, 0);
        DueTask due = first().claimDue(1, 0).claimed().get(0);
        SettledAndClaimed answer = first().settleAndClaim(
                        List.of(new Settle(
                                P1,
                                due.token(),
                                KEY,
                                SettledMark.NONE,
                                new Verdict.Success(null),
                                first().nextToken())),
                        List.of(new Claim(P2, first().nextToken(), KEY, false)));
        assertThat(answer.settles()).containsExactly(SettleResult.Ok.OPENED);
        assertThat(answer.claims()).containsExactly(ClaimResult.Ok.FIRST);
    }

    @Test
    default void aClaimIsDoneIfTheTaskIsClaimedOrNotInTheNamedCustody() {
        first().acquire();
        first().claim(P1, null);
        assertThat(first().tryClaim(P1, null, false)).isEqualTo(ClaimResult.Done.INSTANCE);
        assertThat(first().tryClaim(P2, null, true)).isEqualTo(ClaimResult.Done.INSTANCE);
        first().schedule(P3, null, 3, storeTime() + OwnerClient.LONG);
        assertThat(first().tryClaim(P3, null, false)).isEqualTo(ClaimResult.Done.INSTANCE);
        assertThat(first().tryClaim(P3, null, true)).isEqualTo(ClaimResult.Ok.FIRST);
        first().bury(P4, 4);
        assertThat(first().tryClaim(P4, null, false)).isEqualTo(ClaimResult.Done.INSTANCE);
    }

    @Test
    default void aClaimedTaskIsNotDueAnyMore() {
        first().acquire();
        first().schedule(P1, KEY, 1, storeTime() - 5);
        assertThat(first().claimDue(9, 9).offered())
                .extracting(DueTask::position)
                .containsExactly(P1);
        assertThat(first().tryClaim(P1, KEY, true)).isEqualTo(ClaimResult.Ok.FIRST);
        assertThat(first().acquire(new PresentedClaim(P1, first().lastToken(), KEY, 1, SettledMark.NONE))
                        .nextDueMillis())
                .isEqualTo(-1);
    }
}
