package dev.tandem.task.store;

import static dev.tandem.task.store.OwnerClient.park;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.LeasesExpired;
import dev.tandem.task.store.StoreAnswer.LeasesRenewed;
import dev.tandem.task.store.StoreAnswer.Refused;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreAnswer.TokenTime;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Verdict;
import org.junit.jupiter.api.Test;

/** {@link StoreRequest.RenewLeases} and {@link StoreRequest.ExpireLeases}. */
interface LeaseConformance extends StoreFixture {

    // Renewal

    @Test
    default void renewedClaimsDoNotLapse() {
        first().leaseMillis = SHORT;
        first().acquire();
        long token = first().claim(P1, KEY);
        first().leaseMillis = OwnerClient.LONG;
        LeasesRenewed renewed = first().renewLeases(P1, token);
        assertThat(renewed.lost()).isEmpty();
        assertThat(renewed.nextLapseMillis()).isBetween(SHORT, OwnerClient.LONG);
        letTimePass(SHORT + 1);
        assertThat(first().expireLeases().returned()).isEqualTo(0);
        assertThat(first().succeed(P1, token, KEY, 1)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    default void claimsOfAnOwnerLapseALeaseAfterItLastClaimedOrRenewed() {
        first().leaseMillis = SHORT;
        first().acquire();
        long token = first().claim(P1, KEY);
        first().leaseMillis = OwnerClient.LONG;
        first().claim(P2, null);
        letTimePass(SHORT + 1);
        assertThat(first().expireLeases().returned()).isEqualTo(0);
        first().leaseMillis = SHORT;
        first().renewLeases(P1, token);
        letTimePass(SHORT + 1);
        assertThat(first().expireLeases().returned()).isEqualTo(2);
    }

    @Test
    default void claimsOfAFormerOwnerLapseALeaseAfterItLastClaimedOrRenewed() {
        first().leaseMillis = SHORT;
        first().acquire();
        first().claim(P1, KEY);
        second().generation = 2;
        assertThat(second().acquire().otherClaims())
                .extracting(StoreAnswer.OtherClaim::remainingMillis)
                .allMatch(remaining -> remaining <= SHORT)
                .hasSize(1);
        letTimePass(SHORT + 1);
        second().probe();
        assertThat(second().expireLeases().returned()).isEqualTo(1);
    }

    @Test
    default void aClaimThatIsKeptHasALeaseOfItsOwn() {
        first().leaseMillis = SHORT;
        first().acquire();
        long kept = first().claim(P1, KEY);
        first().claim(P2, null);
        first().leaseMillis = OwnerClient.LONG;
        assertThat(first().keepClaims(P1, kept)).isEmpty();
        letTimePass(SHORT + 1);
        assertThat(first().expireLeases().returned()).isEqualTo(1);
        assertThat(first().succeed(P1, kept, KEY, 1)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    default void aRenewalListsClaimsThatAreLost() {
        first().acquire();
        long token = first().claim(P1, KEY);
        assertThat(first().renewLeases(P1, token - 1).lost()).containsExactly(P1);
        assertThat(first().renewLeases(P2, token).lost()).containsExactly(P2);
        assertThat(first().renewLeases(P1, token).lost()).isEmpty();
    }

    @Test
    default void aRenewalTellsTheTimeThatTokensFollow() {
        long epoch = first().acquire().epoch();
        TokenTime time = first().probe().tokens();
        assertThat(time.micros()).isGreaterThanOrEqualTo(epoch);
        assertThat(time.leadMicros()).isZero();
    }

    @Test
    default void theLeadOfTokensShrinksByHalfOfTheTimeThatPasses() {
        first().acquire();
        restartStore();
        long epoch = first().acquire().epoch();
        TokenTime early = first().probe().tokens();
        assertThat(early.micros() + early.leadMicros()).isGreaterThanOrEqualTo(epoch);
        letTimePass(SHORT);
        TokenTime late = first().probe().tokens();
        long passed = late.micros() - early.micros();
        assertThat(early.leadMicros() - late.leadMicros()).isBetween(passed / 2 - 1, passed / 2 + 1);
    }

    @Test
    default void aProbeReturnsTheRunIdAndRenewsTheOwnersLease() {
        first().leaseMillis = SHORT;
        first().generation = -1;
        String runId = first().acquire().runId();
        first().leaseMillis = OwnerClient.LONG;
        LeasesRenewed renewed = first().probe();
        assertThat(renewed.runId()).isEqualTo(runId);
        assertThat(renewed.durable()).isTrue();
        assertThat(renewed.opened()).isEmpty();
        letTimePass(SHORT + 1);
        second().generation = -1;
        assertThat(second().tryAcquire()).isInstanceOf(Refused.class);
    }

    @Test
    default void aProbeCountsWhatTheStoreHolds() {
        first().acquire();
        assertThat(first().probe().custody().tasks()).isZero();
        first().schedule(P1, KEY, 1, storeTime() + OwnerClient.LONG);
        assertThat(first().probe().custody().tasks()).isEqualTo(1);
    }

    @Test
    default void anEstimateOfTheBytesOfManyTasksComesWithTheFirstProbe() {
        first().acquire();
        for (int i = 0; i < 100; i++) {
            first().schedule(new Position("many-" + i), KEY, i, storeTime() + OwnerClient.LONG);
        }
        assertThat(first().probe().custody().bytes()).isBetween(100L, 1_000_000L);
    }

    // Expiry

    @Test
    default void aLapsedClaimInTheBrokersCustodyBlocksItsKeyUntilRedelivery() {
        first().leaseMillis = SHORT;
        first().acquire();
        long token = first().claim(P1, KEY);
        assertThat(first().expireLeases().returned()).isEqualTo(0);
        letTimePass(SHORT + 1);
        LeasesExpired expired = first().expireLeases();
        assertThat(expired.returned()).isEqualTo(1);
        assertThat(expired.waiting()).containsExactly(new BlockedKey(KEY, BlockReason.REDELIVERY, P1));
        assertThat(expired.nextLapseMillis()).isEqualTo(-1);
        assertThat(first().succeed(P1, token, KEY, 1)).isEqualTo(SettleResult.Refused.INSTANCE);
        assertThat(first().tryClaim(P2, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
        assertThat(first().tryClaim(P1, KEY, false)).isEqualTo(new ClaimResult.Ok(1));
        assertThat(first().succeed(P1, first().lastToken(), KEY, 1)).isEqualTo(SettleResult.Ok.OPENED);
    }

    @Test
    default void aLapsedClaimWithoutAKeyOnlyCountsALapse() {
        first().leaseMillis = SHORT;
        first().acquire();
        first().claim(P1, null);
        letTimePass(SHORT + 1);
        assertThat(first().expireLeases().waiting()).isEmpty();
        first().leaseMillis = SHORT;
        assertThat(first().tryClaim(P1, null, false)).isEqualTo(new ClaimResult.Ok(1));
        letTimePass(SHORT + 1);
        first().expireLeases();
        assertThat(first().tryClaim(P1, null, false)).isEqualTo(new ClaimResult.Ok(2));
    }

    @Test
    default void aLapsedClaimInTheStoresCustodyIsDueAtOnce() {
        first().leaseMillis = SHORT;
        first().acquire();
        first().blockKey(KEY, P1, 0);
        first().claimDue(1, 0);
        letTimePass(SHORT + 1);
        LeasesExpired expired = first().expireLeases();
        assertThat(expired.returned()).isEqualTo(1);
        assertThat(expired.waiting()).isEmpty();
        assertThat(expired.nextDueMillis()).isEqualTo(0);
        assertThat(first().claimDue(1, 0).claimed()).extracting(DueTask::lapses).containsExactly(1);
        assertThat(first().blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
    }

    @Test
    default void tasksThatADeadExecutorHadBegunPrecedeParkedOnes() {
        first().leaseMillis = SHORT;
        first().acquire();
        long earlier = first().nextToken();
        long later = first().nextToken();
        first().acquire(
                        new PresentedClaim(P1, earlier, KEY, 1, new SettledMark.Offset(1)),
                        new PresentedClaim(P2, later, KEY, 1, new SettledMark.Offset(2)));
        second().generation = 2;
        second().leaseMillis = OwnerClient.LONG;
        second().acquire();
        assertThat(second().adopt(P2, KEY, 2)).isEqualTo(HandOverResult.OK);
        assertThat(second().adopt(P1, KEY, 1)).isEqualTo(HandOverResult.OK);
        assertThat(second().blocked()).containsExactly(new BlockedKey(KEY, BlockReason.OTHER_OWNER, P2));
        assertThat(second().takeCustody(park(P3, KEY, 3))).containsExactly(HandOverResult.OK);
        letTimePass(SHORT + 1);
        assertThat(second().expireLeases().returned()).isEqualTo(2);
        DueTask due = second().claimDue(2, 2).claimed().get(0);
        assertThat(due.position()).isEqualTo(P2);
        assertThat(nextAfter(P2, due.token())).isEqualTo(P1);
        assertThat(nextAfter(P1, second().lastToken())).isEqualTo(P3);
    }

    @Test
    default void aRedeliveredTaskThatHadBegunIsParkedInFrontOfItsLane() {
        first().leaseMillis = SHORT;
        first().acquire();
        long earlier = first().nextToken();
        long later = first().nextToken();
        first().acquire(
                        new PresentedClaim(P1, earlier, KEY, 1, new SettledMark.Offset(1)),
                        new PresentedClaim(P2, later, KEY, 1, new SettledMark.Offset(2)));
        second().generation = 2;
        second().leaseMillis = OwnerClient.LONG;
        second().acquire();
        second().adopt(P2, KEY, 2);
        second().takeCustody(park(P3, KEY, 3));
        letTimePass(SHORT + 1);
        assertThat(second().expireLeases().waiting()).isEmpty();
        assertThat(second().takeCustody(park(P1, KEY, 1))).containsExactly(HandOverResult.OK);
        DueTask due = second().claimDue(2, 2).claimed().get(0);
        assertThat(nextAfter(P2, due.token())).isEqualTo(P1);
    }

    @Test
    default void aPatrolTakesNoMoreThanItsLimit() {
        first().leaseMillis = SHORT;
        first().acquire();
        first().claim(P1, null);
        first().claim(P2, null);
        first().claim(P3, null);
        letTimePass(SHORT + 1);
        LeasesExpired expired = first().expireLeases(0, 2);
        assertThat(expired.returned()).isEqualTo(2);
        assertThat(expired.nextLapseMillis()).isEqualTo(0);
        assertThat(first().expireLeases(0, 2).returned()).isEqualTo(1);
    }

    @Test
    default void aPatrolThatExtendsAllLeasesExpiresNone() {
        first().leaseMillis = SHORT;
        first().acquire();
        long token = first().claim(P1, KEY);
        letTimePass(SHORT + 1);
        LeasesExpired expired = first().expireLeases(OwnerClient.LONG, 100);
        assertThat(expired.returned()).isEqualTo(0);
        assertThat(expired.nextLapseMillis()).isGreaterThan(SHORT);
        assertThat(first().expireLeases().returned()).isEqualTo(0);
        assertThat(first().succeed(P1, token, KEY, 1)).isEqualTo(SettleResult.Ok.PLAIN);
        second().generation = -1;
        assertThat(second().tryAcquire())
                .as("the owner's lease was extended too")
                .isInstanceOf(Refused.class);
    }

    /** Lets the given head succeed, and returns the task with which the second owner's lane continues. */
    private Position nextAfter(Position head, long token) {
        SettleResult settled =
                second().settle(head, token, KEY, SettledMark.NONE, new Verdict.Success(null), second().nextToken());
        return ((SettleResult.Next) settled).position();
    }
}
