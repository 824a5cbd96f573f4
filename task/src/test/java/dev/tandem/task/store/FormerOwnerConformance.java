package dev.tandem.task.store;

import static dev.tandem.task.store.OwnerClient.envelope;
import static dev.tandem.task.store.OwnerClient.park;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest.Verdict;
import org.junit.jupiter.api.Test;

/**
 * {@link StoreRequest.KeepClaims} and {@link StoreRequest.SettleLate}: an executor that lost the partition ends its
 * runs.
 */
interface FormerOwnerConformance extends StoreFixture {

    @Test
    default void aFormerOwnerKeepsItsRunningClaimsByTheirTokens() {
        first().leaseMillis = SHORT;
        first().acquire();
        long token = first().claim(P1, KEY);
        second().generation = 2;
        second().acquire();
        first().leaseMillis = OwnerClient.LONG;
        assertThat(first().keepClaims(P1, token - 1)).containsExactly(P1);
        assertThat(first().keepClaims(P1, token)).isEmpty();
        letTimePass(SHORT + 1);
        assertThat(second().expireLeases().returned()).isEqualTo(0);
        assertThat(first().settleLate(P1, token, KEY, 1, new Verdict.Success(null)))
                .isTrue();
        assertThat(first().keepClaims(P1, token)).containsExactly(P1);
    }

    @Test
    default void aFormerOwnersOutcomeIsRecordedUnderItsToken() {
        first().acquire();
        long token = first().claim(P1, KEY);
        second().generation = 2;
        second().acquire();
        assertThat(first().settleLate(P1, token - 1, KEY, 1, new Verdict.Success(null)))
                .isFalse();
        assertThat(first().settleLate(P1, token, KEY, 1, new Verdict.Success(null)))
                .isTrue();
        assertThat(second().probe().opened()).containsExactly(KEY);
        assertThat(second().probe().opened())
                .as("an opened key is reported once")
                .isEmpty();
        Acquired acquired = second().acquire();
        assertThat(acquired.otherClaims()).isEmpty();
        assertThat(acquired.blockedKeys()).isZero();
        assertThat(acquired.chunks()).hasSize(1).allMatch(chunk -> chunk.has(1));
    }

    @Test
    default void aFormerOwnersOutcomeMakesTheNextTaskOfTheLaneDue() {
        first().acquire();
        long token = first().claim(P1, KEY);
        second().generation = 2;
        second().acquire();
        second().takeCustody(park(P2, KEY, 2), park(P3, KEY, 3));
        assertThat(first().settleLate(P1, token, KEY, 1, new Verdict.Success(null)))
                .isTrue();
        assertThat(second().probe().opened()).containsExactly(KEY);
        assertThat(second().claimDue(9, 9).claimed())
                .extracting(DueTask::position)
                .containsExactly(P2);
        assertThat(second().blocked()).extracting(BlockedKey::head).containsExactly(P2);
    }

    @Test
    default void aFormerOwnersRetryBlocksItsKey() {
        first().acquire();
        long token = first().claim(P1, KEY);
        second().generation = 2;
        second().acquire();
        assertThat(first().settleLate(P1, token, KEY, 1, new Verdict.Retry(OwnerClient.LONG, envelope(KEY, token))))
                .isTrue();
        assertThat(second().blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
        assertThat(first().settleLate(P1, token, KEY, 1, new Verdict.Retry(0, envelope(KEY, token))))
                .as("the outcome is recorded already")
                .isTrue();
    }

    @Test
    default void aFormerOwnersOutcomeIsRefusedOnceItsTaskWasClaimedAgain() {
        first().leaseMillis = SHORT;
        first().acquire();
        long old = first().claim(P1, KEY);
        second().generation = 2;
        second().acquire();
        letTimePass(SHORT + 1);
        second().expireLeases();
        long token = second().claim(P1, KEY);
        assertThat(first().settleLate(P1, old, KEY, 1, new Verdict.Success(null)))
                .isFalse();
        assertThat(second().succeed(P1, token, KEY, 1)).isEqualTo(SettleResult.Ok.OPENED);
    }

    @Test
    default void aTaskThatAFormerOwnerReturnsCanBeClaimedByTheNext() {
        first().acquire();
        long token = first().claim(P1, KEY);
        second().generation = 2;
        second().acquire();
        assertThat(first().settleLate(P1, token, KEY, 1, new Verdict.Returned()))
                .isTrue();
        assertThat(second().probe().opened()).containsExactly(KEY);
        assertThat(second().tryClaim(P2, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
        assertThat(second().tryClaim(P1, KEY, false)).isEqualTo(ClaimResult.Ok.FIRST);
    }
}
