package dev.tandem.task.store;

import static dev.tandem.task.store.OwnerClient.park;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.OtherClaim;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreAnswer.SettledAndClaimed;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Relays ({@link StoreRequest.Settle#then}): the outcome of one task brings the claim of the next task of its key. */
interface RelayConformance extends StoreFixture {

    @Test
    default void aSettlePassesTheClaimOnToTheNextTaskOfItsKey() {
        first().acquire();
        long t1 = first().claim(P1, KEY);
        long t2 = first().nextToken();
        long t3 = first().nextToken();
        SettledAndClaimed answer = first().settleAndClaim(
                        List.of(relay(P1, t1, P2, t2), relay(P2, t2, P3, t3)),
                        List.of(new Claim(P4, first().nextToken(), null, false)));
        assertThat(answer.settles()).containsExactly(SettleResult.Ok.PLAIN, SettleResult.Ok.PLAIN);
        assertThat(first().tryClaim(P3, KEY, false)).isEqualTo(ClaimResult.Done.INSTANCE);
        assertThat(first().succeed(P3, t3, KEY, 3)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    default void nothingIsRelayedIfTheKeyIsBlockedOrTheStoreKnowsTheTask() {
        first().acquire();
        long t1 = first().claim(P1, KEY);
        first().schedule(P2, KEY, 2, storeTime() + OwnerClient.LONG);
        long t2 = first().nextToken();
        assertThat(first().settleAndClaim(List.of(relay(P1, t1, P2, t2)), List.of())
                        .settles())
                .containsExactly(SettleResult.Ok.PLAIN);
        assertThat(first().succeed(P2, t2, KEY, 2)).isEqualTo(SettleResult.Refused.INSTANCE);
        long t3 = first().claim(P3, KEY);
        first().adopt(P3, KEY, 3);
        first().takeCustody(park(P1, KEY, SettledMark.NONE));
        assertThat(first().settleAndClaim(List.of(relay(P3, t3, P4, first().nextToken())), List.of())
                        .settles())
                .containsExactly(SettleResult.Ok.PLAIN);
        assertThat(first().tryClaim(P4, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
    }

    @Test
    default void aRefusedSettleRelaysNothing() {
        first().acquire();
        long t1 = first().claim(P1, KEY);
        assertThat(first().settleAndClaim(List.of(relay(P1, t1 - 1, P2, first().nextToken())), List.of())
                        .settles())
                .containsExactly(SettleResult.Refused.INSTANCE);
        assertThat(first().tryClaim(P2, null, false)).isEqualTo(ClaimResult.Ok.FIRST);
    }

    // Of a former owner

    @Test
    default void aFormerOwnersRelayTakesTheFirstTaskOfTheLane() {
        first().acquire();
        long t1 = first().claim(P1, KEY);
        second().generation = 2;
        second().acquire();
        second().takeCustody(park(P2, KEY, 2), park(P3, KEY, 3));
        long t2 = first().nextToken();
        assertThat(first().settleLate(relay(P1, t1, P2, t2))).isTrue();
        assertThat(second().probe().opened()).containsExactly(KEY);
        Acquired acquired = second().acquire();
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.OTHER_OWNER, P2));
        assertThat(acquired.otherClaims()).extracting(OtherClaim::token).containsExactly(t2);
        assertThat(first().settleLate(P2, t2, KEY, 2, new Verdict.Success(null)))
                .isTrue();
        assertThat(second().claimDue(9, 9).claimed())
                .extracting(DueTask::position)
                .containsExactly(P3);
    }

    @Test
    default void aFormerOwnersRelayTakesItsTaskFromAnywhereInTheLane() {
        first().acquire();
        long t1 = first().claim(P1, KEY);
        second().generation = 2;
        second().acquire();
        second().takeCustody(park(P3, KEY, 3), park(P2, KEY, 2));
        long t2 = first().nextToken();
        assertThat(first().settleLate(relay(P1, t1, P2, t2))).isTrue();
        assertThat(first().settleLate(P2, t2, KEY, 2, new Verdict.Success(null)))
                .isTrue();
        assertThat(second().claimDue(9, 9).claimed())
                .extracting(DueTask::position)
                .containsExactly(P3);
    }

    // Presented

    @Test
    default void aRelayedClaimHoldsButIsNotWrittenWhileTheClaimBeforeItIsPresented() {
        first().acquire();
        long t1 = first().claim(P1, KEY);
        long t2 = first().nextToken();
        Acquired acquired = first().acquire(
                        new PresentedClaim(P1, t1, KEY, 1, new SettledMark.Offset(1)),
                        new PresentedClaim(P2, t2, KEY, 1, new SettledMark.Offset(2), 0, t1));
        assertThat(acquired.presentedTokens()).containsExactly(t1, t2);
        second().generation = 2;
        assertThat(second().acquire().otherClaims())
                .extracting(OtherClaim::token)
                .containsExactly(t1);
        assertThat(first().settleLate(relay(P1, t1, P2, t2))).isTrue();
        assertThat(second().acquire().otherClaims())
                .extracting(OtherClaim::token)
                .containsExactly(t2);
    }

    @Test
    default void aRelayedClaimIsWrittenIfTheClaimBeforeItHasEnded() {
        first().acquire();
        long t1 = first().claim(P1, KEY);
        long t2 = first().nextToken();
        first().succeed(P1, t1, KEY, 1);
        Acquired acquired = first().acquire(
                        new PresentedClaim(P1, t1, KEY, 1, new SettledMark.Offset(1), first().number),
                        new PresentedClaim(P2, t2, KEY, 1, new SettledMark.Offset(2), 0, t1));
        assertThat(acquired.presentedTokens()).containsExactly(t2);
        assertThat(first().tryClaim(P2, KEY, false)).isEqualTo(ClaimResult.Done.INSTANCE);
    }

    @Test
    default void aRelayedClaimIsRefusedTogetherWithTheClaimBeforeIt() {
        first().leaseMillis = SHORT;
        first().acquire();
        long t1 = first().claim(P1, KEY);
        letTimePass(SHORT + 1);
        first().expireLeases();
        first().leaseMillis = OwnerClient.LONG;
        long taken = first().claim(P1, KEY);
        Acquired acquired = first().acquire(
                        new PresentedClaim(P1, t1, KEY, 1, new SettledMark.Offset(1)),
                        new PresentedClaim(P2, taken + 1, KEY, 1, new SettledMark.Offset(2), 0, t1));
        assertThat(acquired.presentedTokens()).isEmpty();
    }

    private static Settle relay(Position position, long token, Position next, long nextToken) {
        return new Settle(
                position,
                token,
                KEY,
                SettledMark.NONE,
                new Verdict.Success(null),
                0,
                new Claim(next, nextToken, KEY, false));
    }
}
