package dev.tandem.task.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.OtherClaim;
import dev.tandem.task.store.StoreAnswer.Refused;
import dev.tandem.task.store.StoreAnswer.SettledChunk;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.TakeCustody;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link StoreRequest.Acquire}: epochs, refusals, incarnations, and claims that nobody presents. */
interface AcquireConformance extends StoreFixture {

    @Test
    default void aFreshPartitionCanBeAcquired() {
        Acquired acquired = first().acquire();
        assertThat(acquired.epoch()).isGreaterThan(1_000_000L);
        assertThat(acquired.runId()).isNotEmpty();
        assertThat(acquired.storedCommit()).isEqualTo(-1);
        assertThat(acquired.highWater()).isEqualTo(0);
        assertThat(acquired.otherClaims()).isEmpty();
        assertThat(acquired.chunks()).isEmpty();
        assertThat(acquired.blockedKeys()).isZero();
        assertThat(acquired.nextDueMillis()).isEqualTo(-1);
        assertThat(acquired.nextLapseMillis()).isEqualTo(-1);
        assertThat(acquired.presentedTokens()).isEmpty();
    }

    // Epochs

    @Test
    default void anEpochIsTheStoresTimeInMicrosecondsAndTokensFollowIt() {
        long before = storeTime() * 1_000;
        long epoch = first().acquire().epoch();
        assertThat(epoch).isBetween(before, before + 600_000_000L);
        long token = first().claim(P1, null);
        assertThat(first().acquire().epoch()).isGreaterThan(token);
    }

    @Test
    default void anEpochKeepsMostOfItsLeadOverTheClock() {
        first().acquire();
        long ahead = first().epoch + 3_600_000_000L;
        long epoch = first().acquire(new PresentedClaim(P1, ahead, null, 1, SettledMark.NONE))
                .epoch();
        assertThat(epoch).isGreaterThan(ahead);
        letTimePass(SHORT);
        assertThat(first().acquire(new PresentedClaim(P1, ahead, null, 1, SettledMark.NONE))
                        .epoch())
                .as("a forgotten epoch is not given again")
                .isGreaterThanOrEqualTo(epoch + SHORT * 1_000 / 2);
    }

    @Test
    default void theFirstEpochAfterARestartIsAheadByALease() {
        first().acquire();
        long token = first().claim(P1, null);
        restartStore();
        assertThat(first().acquire().epoch()).isGreaterThanOrEqualTo(token + OwnerClient.LONG * 1_000);
    }

    // Refusals

    @Test
    default void withoutAGenerationAnAcquireIsRefusedWhileAnotherLeaseLives() {
        first().generation = -1;
        second().generation = -1;
        first().acquire();
        Refused refused = (Refused) second().tryAcquire();
        assertThat(refused.owner()).isEqualTo("a");
        assertThat(refused.remainingMillis()).isBetween(1L, OwnerClient.LONG);
        first().probe();
        first().release();
        second().acquire();
    }

    @Test
    default void anExpiredLeaseRefusesNobody() {
        first().generation = -1;
        second().generation = -1;
        first().leaseMillis = SHORT;
        first().acquire();
        letTimePass(SHORT + 1);
        second().acquire();
    }

    @Test
    default void anOlderGenerationIsRefusedWhileTheLeaseLives() {
        first().generation = 7;
        first().acquire();
        second().generation = 6;
        assertThat(second().tryAcquire()).isInstanceOf(Refused.class);
        second().generation = 7;
        assertThat(second().tryAcquire()).isInstanceOf(Acquired.class);
        first().generation = 8;
        assertThat(first().tryAcquire()).isInstanceOf(Acquired.class);
        first().release();
        second().generation = 7;
        assertThat(second().tryAcquire()).as("an acquire may arrive late").isInstanceOf(Refused.class);
        second().generation = 8;
        assertThat(second().tryAcquire()).isInstanceOf(Acquired.class);
    }

    @Test
    default void anExecutorIsRefusedByItsOwnLeaseOnlyIfItsGenerationIsOlder() {
        first().generation = -1;
        first().acquire();
        first().acquire();
        first().generation = 5;
        first().acquire();
        first().generation = 4;
        assertThat(first().tryAcquire()).isInstanceOf(Refused.class);
    }

    @Test
    default void anotherSourceIsRefusedWhileTheLeaseLives() {
        first().generation = 7;
        first().sourceId = "topic-1";
        long incarnation = first().acquire().incarnation();
        second().generation = 8;
        second().sourceId = "topic-2";
        Refused refused = (Refused) second().tryAcquire();
        assertThat(refused.otherSource()).isEqualTo("topic-1");
        first().probe();
        first().release();
        assertThat(second().acquire().incarnation()).isEqualTo(incarnation + 1);
    }

    @Test
    default void aRefusalNamesNoSourceThatIsTheSameOrUnknown() {
        first().sourceId = "topic-1";
        first().generation = -1;
        first().acquire();
        second().generation = -1;
        assertThat(((Refused) second().tryAcquire()).otherSource()).isEmpty();
        second().sourceId = "topic-1";
        assertThat(((Refused) second().tryAcquire()).otherSource()).isEmpty();
    }

    @Test
    default void aRefusedAcquireChangesNothing() {
        first().generation = 7;
        first().acquire();
        second().generation = 6;
        second().tryAcquire();
        second().number--;
        assertThat(second().tryAcquire()).isInstanceOf(Refused.class);
        first().probe();
    }

    // Incarnations and settled offsets

    @Test
    default void aChangedSourceIdBeginsAnIncarnation() {
        first().sourceId = "topic-1";
        first().committed = 10;
        long first = first().acquire().incarnation();
        first().succeed(P1, first().claim(P1, null), null, 12);
        first().sourceId = "";
        assertThat(first().acquire().incarnation()).isEqualTo(first);
        first().sourceId = "topic-1";
        assertThat(first().acquire().incarnation()).isEqualTo(first);
        first().sourceId = "topic-2";
        first().committed = 3;
        Acquired acquired = first().acquire();
        assertThat(acquired.incarnation()).isEqualTo(first + 1);
        assertThat(acquired.chunks()).isEmpty();
        assertThat(acquired.highWater()).isEqualTo(0);
        assertThat(acquired.storedCommit()).isEqualTo(3);
    }

    @Test
    default void aCommitBelowTheStoredOneBeginsAnIncarnation() {
        first().committed = 10;
        long first = first().acquire().incarnation();
        first().committed = -1;
        assertThat(first().acquire().incarnation()).isEqualTo(first);
        first().committed = 15;
        Acquired acquired = first().acquire();
        assertThat(acquired.incarnation()).isEqualTo(first);
        assertThat(acquired.storedCommit()).isEqualTo(15);
        first().committed = 14;
        acquired = first().acquire();
        assertThat(acquired.incarnation()).isEqualTo(first + 1);
        assertThat(acquired.storedCommit()).isEqualTo(14);
    }

    @Test
    default void aCutLogBeginsAnIncarnationThatKeepsWhatIsSettledBelowTheCut() {
        first().committed = 2;
        long first = first().acquire().incarnation();
        List<Settle> settled = new ArrayList<>();
        List<Long> offsets = List.of(2L, 600L, 603L, 604L, 605L, 1_030L, 16_390L);
        for (long offset : offsets) {
            Position position = Position.of(first, offset);
            settled.add(success(position, first().claim(position, null), offset));
        }
        answerTo(new SettleAndClaim(
                first().header(), OwnerClient.LONG, first().incarnation, 16_400, settled, List.of()));
        first().cut = 16_400;
        assertThat(first().acquire().incarnation())
                .as("nothing at or above this cut is known")
                .isEqualTo(first);

        first().cut = 604;
        Acquired acquired = first().acquire();
        assertThat(acquired.incarnation()).isEqualTo(first + 1);
        assertThat(acquired.highWater()).isEqualTo(604);
        assertThat(acquired.storedCommit()).isEqualTo(2);
        assertThat(offsets.stream().filter(offset -> acquired.chunks().stream().anyMatch(chunk -> chunk.has(offset))))
                .containsExactly(2L, 600L, 603L);

        first().cut = 0;
        assertThat(first().acquire().chunks()).isEmpty();
    }

    @Test
    default void aCutThatIsToldAgainAppliesOnlyToIncarnationsFromBeforeIt() {
        first().committed = 2;
        long before = first().acquire().incarnation();
        settle(before, 5);
        first().cut = 4;
        first().cutOf = before;
        assertThat(first().acquire().incarnation()).isEqualTo(before + 1);
        settle(before + 1, 6);

        Acquired again = first().acquire();
        assertThat(again.incarnation()).isEqualTo(before + 1);
        assertThat(again.chunks()).anyMatch(chunk -> chunk.has(6) && !chunk.has(5));

        first().cutOf = before + 3;
        Acquired later = first().acquire();
        assertThat(later.incarnation())
                .as("later than all that may have been used")
                .isEqualTo(before + 4);
        assertThat(later.chunks()).isEmpty();
    }

    @Test
    default void aCutOfAKnownIncarnationBeginsTheNextOneWhateverTheStoreRemembers() {
        first().committed = 2;
        long before = first().acquire().incarnation();
        first().cut = 1_000;
        first().cutOf = before;
        Position itsOwn = Position.of(before + 1, 1_005);
        Acquired acquired = first().acquire(
                        new PresentedClaim(itsOwn, first().nextToken(), null, 1, new SettledMark.Offset(1_005)));
        assertThat(acquired.incarnation()).isEqualTo(before + 1);
        assertThat(acquired.highWater()).as("it began before").isEqualTo(1_006);
    }

    @Test
    default void aCutBelowAPresentedClaimBeginsAnIncarnation() {
        first().committed = 2;
        long before = first().acquire().incarnation();
        PresentedClaim claim6 =
                new PresentedClaim(Position.of(before, 6), first().nextToken(), null, 1, new SettledMark.Offset(6));
        assertThat(first().acquire(claim6).highWater()).isEqualTo(7);
        first().cut = 5;
        PresentedClaim claim =
                new PresentedClaim(Position.of(before, 5), first().nextToken(), null, 1, new SettledMark.Offset(5));
        assertThat(first().acquire(claim).incarnation())
                .as("the store forgot the claim and the high-water mark")
                .isEqualTo(before + 1);
    }

    @Test
    default void aStoredCommitAboveACutFallsToIt() {
        first().committed = 20;
        first().acquire();
        answerTo(new SettleAndClaim(first().header(), OwnerClient.LONG, first().incarnation, 30, List.of(), List.of()));
        first().committed = -1;
        first().cut = 10;
        assertThat(first().acquire().storedCommit()).isEqualTo(10);
    }

    private void settle(long incarnation, long offset) {
        Position position = Position.of(incarnation, offset);
        Settle settle = success(position, first().claim(position, null), offset);
        answerTo(new SettleAndClaim(
                first().header(), OwnerClient.LONG, first().incarnation, offset + 1, List.of(settle), List.of()));
    }

    @Test
    default void anAcquireReturnsSettledOffsetsAndTheHighWaterMark() {
        first().acquire();
        long t1 = first().claim(P1, null);
        long t2 = first().claim(P2, null);
        answerTo(new SettleAndClaim(
                first().header(),
                OwnerClient.LONG,
                first().incarnation,
                16_400,
                List.of(success(P1, t1, 9), success(P2, t2, 16_390)),
                List.of()));
        answerTo(new TakeCustody(first().header(), first().incarnation, 300, 1, 1, List.of()));
        Acquired acquired = first().acquire();
        assertThat(acquired.highWater()).isEqualTo(16_400);
        assertThat(acquired.chunks()).extracting(SettledChunk::index).containsExactlyInAnyOrder(0L, 1L);
        assertThat(acquired.chunks()).anyMatch(chunk -> chunk.has(9) && !chunk.has(8) && !chunk.has(10));
        assertThat(acquired.chunks()).anyMatch(chunk -> chunk.has(16_390) && !chunk.has(16_389));
    }

    // Claims that are not presented

    @Test
    default void aClaimThatItsExecutorDoesNotPresentIsTakenBackWithoutSpendingAnAttempt() {
        first().acquire();
        first().claim(P1, KEY);
        first().schedule(P2, null, 2, storeTime() - 5);
        assertThat(first().claimDue(1, 0).claimed()).hasSize(1);
        Acquired acquired = first().acquire();
        assertThat(acquired.otherClaims()).isEmpty();
        assertThat(acquired.nextLapseMillis()).isEqualTo(-1);
        assertThat(acquired.nextDueMillis()).isEqualTo(0);
        assertThat(first().tryClaim(P1, KEY, false)).isEqualTo(ClaimResult.Ok.FIRST);
        assertThat(first().claimDue(1, 0).claimed()).extracting(DueTask::lapses).containsExactly(0);
    }

    @Test
    default void claimsOfOtherExecutorsAreListedAndBlockTheirKeys() {
        first().acquire();
        long t1 = first().claim(P1, KEY);
        first().claim(P2, null);
        first().adopt(P2, null, 2);
        second().generation = 2;
        Acquired acquired = second().acquire();
        assertThat(acquired.otherClaims()).extracting(OtherClaim::position).containsExactlyInAnyOrder(P1, P2);
        assertThat(acquired.otherClaims()).anySatisfy(claim -> {
            assertThat(claim.position()).isEqualTo(P1);
            assertThat(claim.token()).isEqualTo(t1);
            assertThat(claim.key()).isEqualTo(KEY);
            assertThat(claim.inStore()).isFalse();
            assertThat(claim.remainingMillis()).isBetween(1L, OwnerClient.LONG);
        });
        assertThat(acquired.otherClaims()).anySatisfy(claim -> {
            assertThat(claim.key()).isNull();
            assertThat(claim.inStore()).isTrue();
        });
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.OTHER_OWNER, P1));
        assertThat(second().tryClaim(P3, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
    }

    @Test
    default void aKeyThatIsBlockedAlreadyKeepsItsReason() {
        first().acquire();
        first().claim(P1, KEY);
        first().adopt(P1, KEY, 1);
        second().generation = 2;
        assertThat(second().acquire().blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
    }

    // The quiet period after a restart

    @Test
    default void afterARestartNothingLapsesForOneLeaseOfANewOwner() {
        first().leaseMillis = SHORT;
        first().acquire();
        first().claim(P1, KEY);
        letTimePass(SHORT + 1);
        restartStore();
        second().generation = 2;
        second().leaseMillis = OwnerClient.LONG;
        assertThat(second().acquire().quietMillis()).isBetween(OwnerClient.LONG - 10_000, OwnerClient.LONG);
        assertThat(second().acquire().quietMillis()).as("it lasts").isGreaterThan(SHORT);
        assertThat(second().expireLeases().returned()).isEqualTo(0);
        assertThat(second().expireLeases().nextLapseMillis()).isGreaterThan(SHORT);
    }

    @Test
    default void afterARestartAnOwnerThatContinuesHasNoQuietPeriod() {
        first().leaseMillis = SHORT;
        first().acquire();
        first().claim(P1, KEY);
        second().generation = 2;
        second().acquire();
        restartStore();
        second().continuesOwnership = true;
        assertThat(second().acquire().quietMillis()).isEqualTo(0);
        letTimePass(SHORT + 1);
        assertThat(second().expireLeases().returned()).isEqualTo(1);
    }

    private static Settle success(Position position, long token, long offset) {
        return new Settle(position, token, null, new SettledMark.Offset(offset), new Verdict.Success(null), 0);
    }
}
