package dev.tandem.task.store;

import static dev.tandem.task.store.Owner.envelope;
import static dev.tandem.task.store.Owner.park;
import static dev.tandem.task.store.Owner.parkHeld;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.AlreadyApplied;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.DueTasks;
import dev.tandem.task.store.StoreAnswer.Fenced;
import dev.tandem.task.store.StoreAnswer.Gap;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.LeasesRenewed;
import dev.tandem.task.store.StoreAnswer.OtherClaim;
import dev.tandem.task.store.StoreAnswer.Refused;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreAnswer.SettledAndClaimed;
import dev.tandem.task.store.StoreAnswer.SettledChunk;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.RenewLeases;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.TakeCustody;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules of {@code docs/store-protocol.md}, one test each. Every store runs them: extend this and say how to ask it. */
public abstract class StoreConformance extends StoreHarness {

    private static final Position P1 = new Position("1:1");
    private static final Position P2 = new Position("1:2");
    private static final Position P3 = new Position("1:3");
    private static final Position P4 = new Position("1:4");

    // Every numbered request

    @Test
    void anotherEpochIsFencedAndNothingChanges() {
        a.acquire();
        long token = a.claim(P1, null);
        b.generation = 2;
        b.acquire();
        assertThat(ask(step(a.header(), success(P1, token)))).isEqualTo(new Fenced());
        assertThat(b.acquire().otherClaims()).extracting(OtherClaim::position).containsExactly(P1);
    }

    @Test
    void onAFreshPartitionEveryEpochIsFenced() {
        assertThat(ask(new RenewLeases(a.header(), Owner.LONG, List.of(), new long[0])))
                .isEqualTo(new Fenced());
    }

    @Test
    void aNumberAppliesOnce() {
        a.acquire();
        SettleAndClaim claim = step(a.header(), new Claim(P1, a.nextToken(), null, false));
        assertThat(ask(claim)).isInstanceOf(SettledAndClaimed.class);
        assertThat(ask(claim)).isEqualTo(new AlreadyApplied());
        assertThat(a.succeed(P1, a.lastToken(), null, -1)).isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(ask(step(new RequestHeader(partition, "a-writer", a.number, a.epoch), success(P1, a.lastToken()))))
                .isEqualTo(new AlreadyApplied());
    }

    @Test
    void aSkippedNumberIsAGapAndNothingChanges() {
        a.acquire();
        long stored = a.number;
        a.number++;
        assertThat(ask(step(a.header(), new Claim(P1, a.nextToken(), null, false))))
                .isEqualTo(new Gap(stored));
        a.number = stored;
        assertThat(a.acquire().nextLapseMillis()).isEqualTo(-1);
    }

    @Test
    void aNumberBelowTheStoredOneIsAGapToo() {
        a.acquire();
        a.probe();
        a.probe();
        RequestHeader old = new RequestHeader(partition, "a-writer", a.number - 1, a.epoch);
        assertThat(ask(step(old, new Claim(P1, a.nextToken(), null, false)))).isEqualTo(new Gap(a.number));
    }

    @Test
    void aWriterThatTheEpochDoesNotKnowHasAGapFromZero() {
        a.acquire();
        RequestHeader stranger = new RequestHeader(partition, "stranger", 7, a.epoch);
        assertThat(ask(step(stranger, new Claim(P1, a.nextToken(), null, false))))
                .isEqualTo(new Gap(0));
    }

    @Test
    void anAcquireTakesAnyHigherNumber() {
        a.number = 5;
        long epoch = a.acquire().epoch();
        a.number--;
        assertThat(a.tryAcquire()).isEqualTo(new AlreadyApplied());
        a.number = 2;
        assertThat(a.tryAcquire()).isEqualTo(new Gap(6));
        a.number = 100;
        assertThat(a.acquire().epoch()).isGreaterThan(epoch);
        a.probe();
    }

    // Acquire

    @Test
    void aFreshPartitionIsAcquired() {
        Acquired acquired = a.acquire();
        assertThat(acquired.epoch()).isGreaterThan(1_000_000L);
        assertThat(acquired.runId()).isNotEmpty();
        assertThat(acquired.storedCommit()).isEqualTo(-1);
        assertThat(acquired.highWater()).isEqualTo(0);
        assertThat(acquired.otherClaims()).isEmpty();
        assertThat(acquired.chunks()).isEmpty();
        assertThat(acquired.blocked()).isEmpty();
        assertThat(acquired.nextDueMillis()).isEqualTo(-1);
        assertThat(acquired.nextLapseMillis()).isEqualTo(-1);
        assertThat(acquired.presentedTokens()).isEmpty();
    }

    @Test
    void anEpochIsInMicrosecondsOfTheStoreAndTokensFollowIt() {
        long before = now() * 1_000;
        long epoch = a.acquire().epoch();
        assertThat(epoch).isBetween(before, before + 600_000_000L);
        long token = a.claim(P1, null);
        assertThat(a.acquire().epoch()).isGreaterThan(token);
    }

    @Test
    void anEpochKeepsItsLeadOnTheClock() {
        a.acquire();
        long ahead = a.epoch + 3_600_000_000L;
        long epoch = a.acquire(new PresentedClaim(P1, ahead, null, 1, -1)).epoch();
        assertThat(epoch).isGreaterThan(ahead);
        pass(SHORT);
        assertThat(a.acquire(new PresentedClaim(P1, ahead, null, 1, -1)).epoch())
                .as("a forgotten epoch is not given again")
                .isGreaterThanOrEqualTo(epoch + SHORT * 1_000);
    }

    @Test
    void afterARestartAnEpochIsALeaseAhead() {
        a.acquire();
        long token = a.claim(P1, null);
        restarted(partition);
        assertThat(a.acquire().epoch()).isGreaterThanOrEqualTo(token + Owner.LONG * 1_000);
    }

    @Test
    void withoutAGenerationAnothersLivingLeaseRefuses() {
        a.generation = -1;
        b.generation = -1;
        a.acquire();
        Refused refused = (Refused) b.tryAcquire();
        assertThat(refused.owner()).isEqualTo("a");
        assertThat(refused.remainingMillis()).isBetween(1L, Owner.LONG);
        a.probe();
        a.release();
        b.acquire();
    }

    @Test
    void aLeaseThatEndedRefusesNobody() {
        a.generation = -1;
        b.generation = -1;
        a.leaseMillis = SHORT;
        a.acquire();
        pass(SHORT + 1);
        b.acquire();
    }

    @Test
    void anOlderGenerationIsRefusedWhileTheLeaseLives() {
        a.generation = 7;
        a.acquire();
        b.generation = 6;
        assertThat(b.tryAcquire()).isInstanceOf(Refused.class);
        b.generation = 7;
        assertThat(b.tryAcquire()).isInstanceOf(Acquired.class);
        a.generation = 8;
        assertThat(a.tryAcquire()).isInstanceOf(Acquired.class);
        a.release();
        b.generation = 7;
        assertThat(b.tryAcquire()).as("it may come late").isInstanceOf(Refused.class);
        b.generation = 8;
        assertThat(b.tryAcquire()).isInstanceOf(Acquired.class);
    }

    @Test
    void theSameExecutorIsOnlyRefusedByAHigherGeneration() {
        a.generation = -1;
        a.acquire();
        a.acquire();
        a.generation = 5;
        a.acquire();
        a.generation = 4;
        assertThat(a.tryAcquire()).isInstanceOf(Refused.class);
    }

    @Test
    void aRefusedAcquireChangesNothing() {
        a.generation = 7;
        a.acquire();
        b.generation = 6;
        b.tryAcquire();
        b.number--;
        assertThat(b.tryAcquire()).isInstanceOf(Refused.class);
        a.probe();
    }

    @Test
    void anotherSourceIdBeginsAnIncarnation() {
        a.sourceId = "topic-1";
        a.committed = 10;
        long first = a.acquire().incarnation();
        a.succeed(P1, a.claim(P1, null), null, 12);
        a.sourceId = "";
        assertThat(a.acquire().incarnation()).isEqualTo(first);
        a.sourceId = "topic-1";
        assertThat(a.acquire().incarnation()).isEqualTo(first);
        a.sourceId = "topic-2";
        a.committed = 3;
        Acquired acquired = a.acquire();
        assertThat(acquired.incarnation()).isEqualTo(first + 1);
        assertThat(acquired.chunks()).isEmpty();
        assertThat(acquired.highWater()).isEqualTo(0);
        assertThat(acquired.storedCommit()).isEqualTo(3);
    }

    @Test
    void aCommitBelowTheMirrorBeginsAnIncarnation() {
        a.committed = 10;
        long first = a.acquire().incarnation();
        a.committed = -1;
        assertThat(a.acquire().incarnation()).isEqualTo(first);
        a.committed = 15;
        Acquired acquired = a.acquire();
        assertThat(acquired.incarnation()).isEqualTo(first);
        assertThat(acquired.storedCommit()).isEqualTo(15);
        a.committed = 14;
        acquired = a.acquire();
        assertThat(acquired.incarnation()).isEqualTo(first + 1);
        assertThat(acquired.storedCommit()).isEqualTo(14);
    }

    @Test
    void settledOffsetsAndTheHighWaterMarkAreGivenBack() {
        a.acquire();
        long t1 = a.claim(P1, null);
        long t2 = a.claim(P2, null);
        ask(new SettleAndClaim(
                a.header(),
                Owner.LONG,
                a.incarnation,
                16_400,
                List.of(settle(P1, t1, 9), settle(P2, t2, 16_390)),
                List.of()));
        ask(new TakeCustody(a.header(), a.incarnation, 300, 1, 1, List.of()));
        Acquired acquired = a.acquire();
        assertThat(acquired.highWater()).isEqualTo(16_400);
        assertThat(acquired.chunks()).extracting(SettledChunk::index).containsExactlyInAnyOrder(0L, 1L);
        assertThat(acquired.chunks()).anyMatch(chunk -> chunk.has(9) && !chunk.has(8) && !chunk.has(10));
        assertThat(acquired.chunks()).anyMatch(chunk -> chunk.has(16_390) && !chunk.has(16_389));
    }

    @Test
    void aPresentedClaimIsAFact() {
        a.acquire();
        long token = a.epoch + 5;
        Acquired acquired = a.acquire(new PresentedClaim(P1, token, KEY, 1, 3));
        assertThat(acquired.presentedTokens()).containsExactly(token);
        assertThat(acquired.epoch()).isGreaterThan(token);
        assertThat(acquired.otherClaims()).isEmpty();
        assertThat(acquired.nextLapseMillis()).isBetween(1L, Owner.LONG);
        assertThat(a.succeed(P1, token, KEY, 3)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    void aPresentedClaimThatIsStillThereStays() {
        a.acquire();
        long token = a.claim(P1, KEY);
        assertThat(a.acquire(new PresentedClaim(P1, token, KEY, 1, 3)).presentedTokens())
                .containsExactly(token);
        assertThat(a.succeed(P1, token, KEY, 3)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    void aPresentedClaimOfASettledPositionIsSkipped() {
        a.acquire();
        long succeeded = a.claim(P1, null);
        a.succeed(P1, succeeded, null, 3);
        long died = a.claim(P2, null);
        a.die(P2, died, null, -1, DeadHead.SKIP);
        long retried = a.claim(P3, null);
        a.retry(P3, retried, null, 4, Owner.LONG);
        Acquired acquired = a.acquire(
                new PresentedClaim(P1, succeeded, null, 1, 3),
                new PresentedClaim(P2, died, null, 1, -1),
                new PresentedClaim(P3, retried, null, 1, 4));
        assertThat(acquired.presentedTokens()).isEmpty();
        assertThat(acquired.nextLapseMillis()).isEqualTo(-1);
    }

    @Test
    void aPresentedClaimUnderALowerTokenIsSkipped() {
        a.acquire();
        long old = a.nextToken();
        long token = a.claim(P1, null);
        b.generation = 2;
        b.acquire();
        assertThat(b.acquire(new PresentedClaim(P1, old, null, 1, -1)).presentedTokens())
                .isEmpty();
        assertThat(a.late(P1, token, null, -1, new Verdict.Success(null))).isTrue();
    }

    @Test
    void aPresentedClaimOfAKeyThatAnotherClaimedSinceIsSkipped() {
        a.acquire();
        long old = a.nextToken();
        long token = a.claim(P2, "k");
        b.generation = 2;
        b.acquire();
        assertThat(b.acquire(new PresentedClaim(P1, old, "k", 1, -1)).presentedTokens())
                .isEmpty();
        assertThat(a.late(P2, token, "k", -1, new Verdict.Success(null))).isTrue();
    }

    @Test
    void aPresentedClaimTakesItsTaskOutOfRetryAndSchedule() {
        a.acquire();
        a.retry(P1, a.claim(P1, KEY), KEY, 1, 0);
        a.schedule(P2, null, 2, now() - 5);
        Acquired acquired = a.acquire(
                new PresentedClaim(P1, a.nextToken(), KEY, 2, 1), new PresentedClaim(P2, a.nextToken(), null, 1, -1));
        assertThat(acquired.presentedTokens()).hasSize(2);
        assertThat(acquired.nextDueMillis()).isEqualTo(-1);
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
        assertThat(a.due(9, 9).claimed()).isEmpty();
    }

    @Test
    void aPresentedClaimTakesItsTaskFromTheLanesHead() {
        a.acquire();
        a.block(KEY, P1, Owner.LONG);
        a.hand(park(P2, KEY, 2), park(P3, KEY, 3));
        long token = a.nextToken();
        assertThat(a.acquire(new PresentedClaim(P2, token, KEY, 1, -1)).presentedTokens())
                .containsExactly(token);
        assertThat(a.hand(parkHeld(P2, KEY))).containsExactly(HandOverResult.DONE);
        SettleResult settled = a.settle(P2, token, KEY, -1, new Verdict.Success(null), a.nextToken());
        assertThat(settled)
                .isInstanceOfSatisfying(
                        SettleResult.Next.class,
                        next -> assertThat(next.position()).isEqualTo(P3));
    }

    @Test
    void whatWasClaimedLastHeadsItsKeyAfterAnAcquire() {
        a.acquire();
        a.block(KEY, P1, 0);
        a.hand(park(P2, KEY, 2), park(P3, KEY, 3));
        long t1 = a.nextToken();
        long t2 = a.nextToken();
        Acquired acquired = a.acquire(new PresentedClaim(P2, t2, KEY, 1, -1), new PresentedClaim(P1, t1, KEY, 2, -1));
        assertThat(acquired.presentedTokens()).containsExactlyInAnyOrder(t1, t2);
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P2));
        assertThat(a.settle(P1, t1, KEY, -1, new Verdict.Success(null), t2)).isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(a.succeed(P2, t2, KEY, -1)).isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(a.due(9, 9).claimed()).extracting(DueTask::position).containsExactly(P3);
    }

    @Test
    void aPresentedHeadThatTheKeyWaitedForRunsAgain() {
        a.leaseMillis = SHORT;
        a.acquire();
        long token = a.claim(P1, KEY);
        pass(SHORT + 1);
        a.patrol();
        a.leaseMillis = Owner.LONG;
        Acquired acquired = a.acquire(new PresentedClaim(P1, token, KEY, 1, 1));
        assertThat(acquired.presentedTokens()).containsExactly(token);
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
        assertThat(a.succeed(P1, token, KEY, 1)).isEqualTo(SettleResult.Ok.OPENED);
    }

    @Test
    void aPresentedClaimWhoseOutcomeWasAppliedIsSkipped() {
        a.acquire();
        a.block(KEY, P1, 0);
        a.hand(park(P2, KEY, 2));
        long token = a.due(1, 0).claimed().get(0).token();
        a.settle(P1, token, KEY, -1, new Verdict.Success(null), 0);
        Acquired acquired = a.acquire(new PresentedClaim(P1, token, KEY, 2, -1, a.number));
        assertThat(acquired.presentedTokens()).isEmpty();
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P2));
        long lost = a.nextToken();
        assertThat(a.acquire(new PresentedClaim(P3, lost, "other", 2, -1, a.number + 1))
                        .presentedTokens())
                .as("its outcome was sent, but not applied")
                .containsExactly(lost);
    }

    @Test
    void aClaimOfAnotherThatMustHaveEndedIsNotForeign() {
        a.acquire();
        a.claim(P1, KEY);
        b.generation = 2;
        b.acquire();
        long token = b.nextToken();
        Acquired acquired = b.acquire(new PresentedClaim(P2, token, KEY, 1, -1));
        assertThat(acquired.presentedTokens()).containsExactly(token);
        assertThat(acquired.otherClaims()).isEmpty();
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P2));
        assertThat(b.succeed(P2, token, KEY, -1)).isEqualTo(SettleResult.Ok.OPENED);
    }

    @Test
    void aClaimOfThisExecutorThatIsNotPresentedGoesBackWithoutAnAttempt() {
        a.acquire();
        a.claim(P1, KEY);
        a.schedule(P2, null, 2, now() - 5);
        assertThat(a.due(1, 0).claimed()).hasSize(1);
        Acquired acquired = a.acquire();
        assertThat(acquired.otherClaims()).isEmpty();
        assertThat(acquired.nextLapseMillis()).isEqualTo(-1);
        assertThat(acquired.nextDueMillis()).isEqualTo(0);
        assertThat(a.claimed(P1, KEY, false)).isEqualTo(ClaimResult.Ok.FIRST);
        assertThat(a.due(1, 0).claimed()).extracting(DueTask::lapses).containsExactly(0);
    }

    @Test
    void foreignClaimsAreListedAndBlockTheirKeys() {
        a.acquire();
        long t1 = a.claim(P1, KEY);
        a.claim(P2, null);
        a.adopt(P2, null, 2);
        b.generation = 2;
        Acquired acquired = b.acquire();
        assertThat(acquired.otherClaims()).extracting(OtherClaim::position).containsExactlyInAnyOrder(P1, P2);
        assertThat(acquired.otherClaims()).anySatisfy(otherClaims -> {
            assertThat(otherClaims.position()).isEqualTo(P1);
            assertThat(otherClaims.token()).isEqualTo(t1);
            assertThat(otherClaims.key()).isEqualTo(KEY);
            assertThat(otherClaims.inStore()).isFalse();
            assertThat(otherClaims.remainingMillis()).isBetween(1L, Owner.LONG);
        });
        assertThat(acquired.otherClaims()).anySatisfy(otherClaims -> {
            assertThat(otherClaims.key()).isNull();
            assertThat(otherClaims.inStore()).isTrue();
        });
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.OTHER_OWNER, P1));
        assertThat(b.claimed(P3, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
    }

    @Test
    void aKeyThatIsBlockedAlreadyKeepsItsReason() {
        a.acquire();
        a.claim(P1, KEY);
        a.adopt(P1, KEY, 1);
        b.generation = 2;
        assertThat(b.acquire().blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
    }

    @Test
    void afterARestartAnotherOwnerLetsNothingLapseForOneLease() {
        a.leaseMillis = SHORT;
        a.acquire();
        a.claim(P1, KEY);
        pass(SHORT + 1);
        restarted(partition);
        b.generation = 2;
        b.leaseMillis = Owner.LONG;
        assertThat(b.acquire().quietMillis()).isBetween(Owner.LONG - 10_000, Owner.LONG);
        assertThat(b.acquire().quietMillis()).as("it lasts").isGreaterThan(SHORT);
        assertThat(b.patrol().returned()).isEqualTo(0);
        assertThat(b.patrol().nextLapseMillis()).isGreaterThan(SHORT);
    }

    @Test
    void afterARestartAnOwnerThatContinuesNeedNotWait() {
        a.leaseMillis = SHORT;
        a.acquire();
        a.claim(P1, KEY);
        b.generation = 2;
        b.acquire();
        restarted(partition);
        b.continues = true;
        assertThat(b.acquire().quietMillis()).isEqualTo(0);
        pass(SHORT + 1);
        assertThat(b.patrol().returned()).isEqualTo(1);
    }

    // Step: settles

    @Test
    void aSuccessEndsItsClaimAndSetsItsBit() {
        a.acquire();
        long token = a.claim(P1, null);
        assertThat(a.succeed(P1, token, null, 7)).isEqualTo(SettleResult.Ok.PLAIN);
        Acquired acquired = a.acquire();
        assertThat(acquired.nextLapseMillis()).isEqualTo(-1);
        assertThat(acquired.chunks()).hasSize(1).allMatch(chunk -> chunk.has(7));
    }

    @Test
    void anOutcomeThatIsThereAlreadyIsDone() {
        a.acquire();
        long succeeded = a.claim(P1, null);
        a.succeed(P1, succeeded, null, 1);
        assertThat(a.succeed(P1, succeeded, null, 1)).isEqualTo(SettleResult.Done.INSTANCE);
        long retried = a.claim(P2, null);
        a.retry(P2, retried, null, 2, Owner.LONG);
        assertThat(a.retry(P2, retried, null, 2, 0)).isEqualTo(SettleResult.Done.INSTANCE);
        long died = a.claim(P3, null);
        a.die(P3, died, null, 3, DeadHead.HALT);
        assertThat(a.die(P3, died, null, 3, DeadHead.HALT)).isEqualTo(SettleResult.Done.INSTANCE);
    }

    @Test
    void anOutcomeUnderAnotherTokenIsRefused() {
        a.acquire();
        long token = a.claim(P1, KEY);
        assertThat(a.succeed(P1, token - 1, KEY, 1)).isEqualTo(SettleResult.Refused.INSTANCE);
        assertThat(a.succeed(P1, token + 1, KEY, 1)).isEqualTo(SettleResult.Refused.INSTANCE);
        assertThat(a.retry(P1, token - 1, KEY, 1, 0)).isEqualTo(SettleResult.Refused.INSTANCE);
        assertThat(a.succeed(P1, token, KEY, 1)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    void aSuccessWithoutABitWhoseClaimIsGoneIsRefused() {
        a.acquire();
        long token = a.claim(P1, null);
        a.succeed(P1, token, null, -1);
        assertThat(a.succeed(P1, token, null, -1)).isEqualTo(SettleResult.Refused.INSTANCE);
    }

    @Test
    void aLateSuccessOfATaskThatWasPutBackIsRefusedThoughItsBitIsSet() {
        a.leaseMillis = SHORT;
        a.acquire();
        long token = a.claim(P1, null);
        a.adopt(P1, null, 1);
        pass(SHORT + 1);
        a.patrol();
        assertThat(a.succeed(P1, token, null, 1)).isEqualTo(SettleResult.Refused.INSTANCE);
    }

    @Test
    void theDeadlineIsNotLookedAt() {
        a.leaseMillis = SHORT;
        a.acquire();
        long token = a.claim(P1, null);
        pass(SHORT + 1);
        assertThat(a.succeed(P1, token, null, 1)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    void aRetryComesBackWhenItIsDueWithItsNewEnvelope() {
        a.acquire();
        long token = a.claim(P1, null);
        assertThat(a.retry(P1, token, null, 4, SHORT)).isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(a.acquire().chunks()).hasSize(1).allMatch(chunk -> chunk.has(4));
        pass(SHORT + 1);
        DueTask due = a.due(1, 0).claimed().get(0);
        assertThat(due.position()).isEqualTo(P1);
        assertThat(due.envelope()).isEqualTo(envelope(null, token));
    }

    @Test
    void aRetryBlocksItsKeyUntilItEnds() {
        a.acquire();
        a.block(KEY, P1, 0);
        assertThat(a.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
        assertThat(a.claimed(P2, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
        DueTask due = a.due(1, 0).claimed().get(0);
        assertThat(a.claimed(P2, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
        assertThat(a.succeed(P1, due.token(), KEY, -1)).isEqualTo(SettleResult.Ok.OPENED);
        assertThat(a.blocked()).isEmpty();
        a.claim(P2, KEY);
    }

    @Test
    void theNextOfTheLaneIsClaimedUnderTheTokenThatWasGiven() {
        a.acquire();
        a.block(KEY, P1, 0);
        a.hand(park(P2, KEY, 2), park(P3, KEY, 3));
        DueTask due = a.due(1, 0).claimed().get(0);
        long token = a.nextToken();
        SettleResult.Next next =
                (SettleResult.Next) a.settle(P1, due.token(), KEY, -1, new Verdict.Success(null), token);
        assertThat(next.position()).isEqualTo(P2);
        assertThat(next.lapses()).isEqualTo(0);
        assertThat(next.envelope()).isEqualTo(envelope(KEY, 0));
        assertThat(a.acquire(new PresentedClaim(P2, token, KEY, 1, -1)).blocked())
                .containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P2));
        long last = a.nextToken();
        assertThat(a.settle(P2, token, KEY, -1, new Verdict.Success(null), last))
                .isInstanceOf(SettleResult.Next.class);
        assertThat(a.settle(P3, last, KEY, -1, new Verdict.Success(null), a.nextToken()))
                .isEqualTo(SettleResult.Ok.OPENED);
    }

    @Test
    void withoutATokenTheNextOfTheLaneIsDueNow() {
        a.acquire();
        a.block(KEY, P1, 0);
        a.hand(park(P2, KEY, 2), park(P3, KEY, 3));
        DueTask due = a.due(1, 0).claimed().get(0);
        assertThat(a.succeed(P1, due.token(), KEY, -1)).isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(a.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P2));
        assertThat(a.due(9, 9).claimed()).extracting(DueTask::position).containsExactly(P2);
    }

    @Test
    void aHeadThatIsRetriedStaysHeadOfItsLane() {
        a.acquire();
        a.block(KEY, P1, 0);
        a.hand(park(P2, KEY, 2));
        DueTask due = a.due(1, 0).claimed().get(0);
        assertThat(a.settle(P1, due.token(), KEY, -1, new Verdict.Retry(0, envelope(KEY, due.token())), 99))
                .isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(a.due(9, 9).claimed()).extracting(DueTask::position).containsExactly(P1);
    }

    @Test
    void aDeadTaskThatHaltsBlocksItsKey() {
        a.acquire();
        assertThat(a.die(P1, a.claim(P1, KEY), KEY, 1, DeadHead.HALT)).isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(a.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HALTED, P1));
        assertThat(a.hand(park(P2, KEY, 2))).containsExactly(HandOverResult.OK);
        assertThat(a.due(9, 9).claimed()).isEmpty();
        assertThat(a.claimed(P3, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
    }

    @Test
    void aDeadTaskWithoutAKeyBlocksNothing() {
        a.acquire();
        assertThat(a.die(P1, a.claim(P1, null), null, 1, DeadHead.HALT)).isEqualTo(SettleResult.Ok.PLAIN);
        Acquired acquired = a.acquire();
        assertThat(acquired.blocked()).isEmpty();
        assertThat(acquired.chunks()).hasSize(1).allMatch(chunk -> chunk.has(1));
        assertThat(a.claimed(P1, null, false)).isEqualTo(ClaimResult.Done.INSTANCE);
    }

    @Test
    void aDeadHeadThatIsSkippedLetsItsLaneGoOn() {
        a.acquire();
        a.block(KEY, P1, 0);
        a.hand(park(P2, KEY, 2));
        DueTask due = a.due(1, 0).claimed().get(0);
        long token = a.nextToken();
        SettleResult settled =
                a.settle(P1, due.token(), KEY, -1, new Verdict.Dead(DeadHead.SKIP, envelope(KEY, due.token())), token);
        assertThat(settled).isInstanceOf(SettleResult.Next.class);
        assertThat(a.die(P2, token, KEY, -1, DeadHead.SKIP)).isEqualTo(SettleResult.Ok.OPENED);
    }

    @Test
    void aDeadTaskThatIsNotAHeadIsSkippedInPassing() {
        a.acquire();
        assertThat(a.die(P1, a.claim(P1, KEY), KEY, 1, DeadHead.SKIP)).isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(a.blocked()).isEmpty();
    }

    @Test
    void aDeadHeadThatDrainsTakesItsLaneAlong() {
        a.acquire();
        a.block(KEY, P1, 0);
        a.hand(park(P2, KEY, 2), park(P3, KEY, 3));
        DueTask due = a.due(1, 0).claimed().get(0);
        assertThat(a.die(P1, due.token(), KEY, -1, DeadHead.DRAIN)).isEqualTo(SettleResult.Ok.OPENED);
        assertThat(a.blocked()).isEmpty();
        assertThat(a.claimed(P2, KEY, false)).isEqualTo(ClaimResult.Done.INSTANCE);
        assertThat(a.claimed(P3, KEY, true)).isEqualTo(ClaimResult.Done.INSTANCE);
        assertThat(a.claimed(P4, KEY, false)).isEqualTo(ClaimResult.Ok.FIRST);
    }

    @Test
    void aReturnedTaskOfTheBrokerCanBeClaimedAgain() {
        a.acquire();
        long token = a.claim(P1, KEY);
        assertThat(a.settle(P1, token, KEY, 1, new Verdict.Returned())).isEqualTo(SettleResult.Ok.PLAIN);
        Acquired acquired = a.acquire();
        assertThat(acquired.chunks()).isEmpty();
        assertThat(acquired.blocked()).isEmpty();
        assertThat(a.claimed(P1, KEY, false)).isEqualTo(ClaimResult.Ok.FIRST);
    }

    @Test
    void aReturnedTaskOfTheStoreIsDueNowAndStaysHead() {
        a.acquire();
        a.block(KEY, P1, 0);
        a.hand(park(P2, KEY, 2));
        DueTask due = a.due(1, 0).claimed().get(0);
        a.settle(P1, due.token(), KEY, -1, new Verdict.Returned(), a.nextToken());
        assertThat(a.blocked()).extracting(BlockedKey::head).containsExactly(P1);
        assertThat(a.due(9, 9).claimed()).extracting(DueTask::position).containsExactly(P1);
    }

    @Test
    void returningSpendsNoAttemptAndForgetsNone() {
        a.leaseMillis = SHORT;
        a.acquire();
        a.claim(P1, KEY);
        pass(SHORT + 1);
        a.patrol();
        a.leaseMillis = Owner.LONG;
        long token = a.claim(P1, KEY);
        a.settle(P1, token, KEY, 1, new Verdict.Returned());
        assertThat(a.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.REDELIVERY, P1));
        assertThat(a.claimed(P1, KEY, false)).isEqualTo(new ClaimResult.Ok(1));
    }

    @Test
    void anOutcomeForgetsLapses() {
        a.leaseMillis = SHORT;
        a.acquire();
        a.claim(P1, null);
        pass(SHORT + 1);
        a.patrol();
        assertThat(a.claimed(P1, null, false)).isEqualTo(new ClaimResult.Ok(1));
        a.retry(P1, a.lastToken(), null, 1, 0);
        assertThat(a.due(1, 0).claimed()).extracting(DueTask::lapses).containsExactly(0);
    }

    // Step: relay

    @Test
    void aSettlePassesItsKeysClaimOnToTheNextTask() {
        a.acquire();
        long t1 = a.claim(P1, KEY);
        long t2 = a.nextToken();
        long t3 = a.nextToken();
        SettledAndClaimed stepped = a.step(
                List.of(relay(P1, t1, P2, t2), relay(P2, t2, P3, t3)),
                List.of(new Claim(P4, a.nextToken(), null, false)));
        assertThat(stepped.settles()).containsExactly(SettleResult.Ok.PLAIN, SettleResult.Ok.PLAIN);
        assertThat(a.claimed(P3, KEY, false)).isEqualTo(ClaimResult.Done.INSTANCE);
        assertThat(a.succeed(P3, t3, KEY, 3)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    void nothingIsRelayedWhereTheKeyIsBlockedOrSomebodyHasTheTask() {
        a.acquire();
        long t1 = a.claim(P1, KEY);
        a.schedule(P2, KEY, 2, now() + Owner.LONG);
        long t2 = a.nextToken();
        assertThat(a.step(List.of(relay(P1, t1, P2, t2)), List.of()).settles()).containsExactly(SettleResult.Ok.PLAIN);
        assertThat(a.succeed(P2, t2, KEY, 2)).isEqualTo(SettleResult.Refused.INSTANCE);
        long t3 = a.claim(P3, KEY);
        a.adopt(P3, KEY, 3);
        a.hand(park(P1, KEY, -1));
        assertThat(a.step(List.of(relay(P3, t3, P4, a.nextToken())), List.of()).settles())
                .containsExactly(SettleResult.Ok.PLAIN);
        assertThat(a.claimed(P4, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
    }

    @Test
    void aRefusedSettleRelaysNothing() {
        a.acquire();
        long t1 = a.claim(P1, KEY);
        assertThat(a.step(List.of(relay(P1, t1 - 1, P2, a.nextToken())), List.of())
                        .settles())
                .containsExactly(SettleResult.Refused.INSTANCE);
        assertThat(a.claimed(P2, null, false)).isEqualTo(ClaimResult.Ok.FIRST);
    }

    @Test
    void aFormerOwnersRelayTakesTheLanesFrontAlong() {
        a.acquire();
        long t1 = a.claim(P1, KEY);
        b.generation = 2;
        b.acquire();
        b.hand(park(P2, KEY, 2), park(P3, KEY, 3));
        long t2 = a.nextToken();
        assertThat(a.late(relay(P1, t1, P2, t2))).isTrue();
        assertThat(b.probe().opened()).containsExactly(KEY);
        Acquired acquired = b.acquire();
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.OTHER_OWNER, P2));
        assertThat(acquired.otherClaims()).extracting(OtherClaim::token).containsExactly(t2);
        assertThat(a.late(P2, t2, KEY, 2, new Verdict.Success(null))).isTrue();
        assertThat(b.due(9, 9).claimed()).extracting(DueTask::position).containsExactly(P3);
    }

    @Test
    void aFormerOwnersRelayTakesItsNextFromWhereverItWaits() {
        a.acquire();
        long t1 = a.claim(P1, KEY);
        b.generation = 2;
        b.acquire();
        b.hand(park(P3, KEY, 3), park(P2, KEY, 2));
        long t2 = a.nextToken();
        assertThat(a.late(relay(P1, t1, P2, t2))).isTrue();
        assertThat(a.late(P2, t2, KEY, 2, new Verdict.Success(null))).isTrue();
        assertThat(b.due(9, 9).claimed()).extracting(DueTask::position).containsExactly(P3);
    }

    @Test
    void aRelayedClaimHoldsWhileTheOneBeforeItIsPresentedAndComesWithItsOutcome() {
        a.acquire();
        long t1 = a.claim(P1, KEY);
        long t2 = a.nextToken();
        Acquired acquired =
                a.acquire(new PresentedClaim(P1, t1, KEY, 1, 1), new PresentedClaim(P2, t2, KEY, 1, 2, 0, t1));
        assertThat(acquired.presentedTokens()).containsExactly(t1, t2);
        b.generation = 2;
        assertThat(b.acquire().otherClaims()).extracting(OtherClaim::token).containsExactly(t1);
        assertThat(a.late(relay(P1, t1, P2, t2))).isTrue();
        assertThat(b.acquire().otherClaims()).extracting(OtherClaim::token).containsExactly(t2);
    }

    @Test
    void aRelayedClaimIsWrittenIfTheOneBeforeItHasEnded() {
        a.acquire();
        long t1 = a.claim(P1, KEY);
        long t2 = a.nextToken();
        a.succeed(P1, t1, KEY, 1);
        Acquired acquired = a.acquire(
                new PresentedClaim(P1, t1, KEY, 1, 1, a.number), new PresentedClaim(P2, t2, KEY, 1, 2, 0, t1));
        assertThat(acquired.presentedTokens()).containsExactly(t2);
        assertThat(a.claimed(P2, KEY, false)).isEqualTo(ClaimResult.Done.INSTANCE);
    }

    @Test
    void aRelayedClaimIsRefusedWithTheOneBeforeIt() {
        a.leaseMillis = SHORT;
        a.acquire();
        long t1 = a.claim(P1, KEY);
        pass(SHORT + 1);
        a.patrol();
        a.leaseMillis = Owner.LONG;
        long taken = a.claim(P1, KEY);
        Acquired acquired =
                a.acquire(new PresentedClaim(P1, t1, KEY, 1, 1), new PresentedClaim(P2, taken + 1, KEY, 1, 2, 0, t1));
        assertThat(acquired.presentedTokens()).isEmpty();
    }

    private static Settle relay(Position position, long token, Position next, long nextToken) {
        return new Settle(
                position, token, KEY, -1, new Verdict.Success(null), 0, new Claim(next, nextToken, KEY, false));
    }

    // Step: claims

    @Test
    void aClaimThatAsksForItsBitIsDoneWhereItIsSet() {
        a.acquire();
        a.succeed(P1, a.claim(P1, KEY), KEY, 1);
        SettledAndClaimed stepped = a.step(
                List.of(),
                List.of(new Claim(P1, a.nextToken(), KEY, false, 1), new Claim(P2, a.nextToken(), KEY, false, 2)));
        assertThat(stepped.claims()).containsExactly(ClaimResult.Done.INSTANCE, ClaimResult.Ok.FIRST);
    }

    @Test
    void settlesComeBeforeClaims() {
        a.acquire();
        a.block(KEY, P1, 0);
        DueTask due = a.due(1, 0).claimed().get(0);
        SettledAndClaimed stepped = a.step(
                List.of(new Settle(P1, due.token(), KEY, -1, new Verdict.Success(null), a.nextToken())),
                List.of(new Claim(P2, a.nextToken(), KEY, false)));
        assertThat(stepped.settles()).containsExactly(SettleResult.Ok.OPENED);
        assertThat(stepped.claims()).containsExactly(ClaimResult.Ok.FIRST);
    }

    @Test
    void whatIsClaimedOrHeldElsewhereIsDone() {
        a.acquire();
        a.claim(P1, null);
        assertThat(a.claimed(P1, null, false)).isEqualTo(ClaimResult.Done.INSTANCE);
        assertThat(a.claimed(P2, null, true)).isEqualTo(ClaimResult.Done.INSTANCE);
        a.schedule(P3, null, 3, now() + Owner.LONG);
        assertThat(a.claimed(P3, null, false)).isEqualTo(ClaimResult.Done.INSTANCE);
        assertThat(a.claimed(P3, null, true)).isEqualTo(ClaimResult.Ok.FIRST);
        a.bury(P4, 4);
        assertThat(a.claimed(P4, null, false)).isEqualTo(ClaimResult.Done.INSTANCE);
    }

    @Test
    void aHeldTaskThatIsClaimedIsNotDueAnyMore() {
        a.acquire();
        a.schedule(P1, KEY, 1, now() - 5);
        assertThat(a.due(9, 9).offered()).extracting(DueTask::position).containsExactly(P1);
        assertThat(a.claimed(P1, KEY, true)).isEqualTo(ClaimResult.Ok.FIRST);
        assertThat(a.acquire(new PresentedClaim(P1, a.lastToken(), KEY, 1, -1)).nextDueMillis())
                .isEqualTo(-1);
    }

    // Hand

    @Test
    void aScheduledTaskComesWhenItIsDue() {
        a.acquire();
        assertThat(a.schedule(P1, KEY, 1, now() + Owner.LONG)).isEqualTo(HandOverResult.OK);
        assertThat(a.due(9, 9)).satisfies(due -> {
            assertThat(due.claimed()).isEmpty();
            assertThat(due.offered()).isEmpty();
            assertThat(due.nextDueMillis()).isBetween(1L, Owner.LONG);
            assertThat(due.more()).isFalse();
        });
        Acquired acquired = a.acquire();
        assertThat(acquired.blocked()).isEmpty();
        assertThat(acquired.chunks()).hasSize(1).allMatch(chunk -> chunk.has(1));
        assertThat(acquired.nextDueMillis()).isBetween(1L, Owner.LONG);
    }

    @Test
    void whatIsSettledIsDoneAndItsBitIsSet() {
        a.acquire();
        a.succeed(P1, a.claim(P1, null), null, 1);
        a.schedule(P2, null, -1, now() + Owner.LONG);
        a.bury(P3, -1);
        assertThat(a.schedule(P1, null, 1, now())).isEqualTo(HandOverResult.DONE);
        assertThat(a.schedule(P2, null, 2, now())).isEqualTo(HandOverResult.DONE);
        assertThat(a.adopt(P3, null, 3)).isEqualTo(HandOverResult.DONE);
        assertThat(a.acquire().chunks())
                .hasSize(1)
                .allMatch(chunk -> chunk.has(1) && chunk.has(2) && chunk.has(3) && !chunk.has(4));
    }

    @Test
    void parkingNeedsABlockedKey() {
        a.acquire();
        assertThat(a.hand(park(P1, KEY, 1))).containsExactly(HandOverResult.OPEN);
        assertThat(a.acquire().chunks()).isEmpty();
        assertThat(a.claimed(P1, KEY, false)).isEqualTo(ClaimResult.Ok.FIRST);
    }

    @Test
    void theHeadItselfIsNotParked() {
        a.leaseMillis = SHORT;
        a.acquire();
        a.claim(P1, KEY);
        pass(SHORT + 1);
        a.patrol();
        assertThat(a.hand(park(P1, KEY, 1), park(P2, KEY, 2))).containsExactly(HandOverResult.OPEN, HandOverResult.OK);
    }

    @Test
    void aLanesBoundHoldsForTheRestOfTheRequest() {
        a.acquire();
        a.block(KEY, P1, 0);
        a.block("other", P4, 0);
        assertThat(a.hand(
                        1,
                        100,
                        park(P2, KEY, 2),
                        park(P3, KEY, 3),
                        park(new Position("1:5"), "other", 5),
                        park(new Position("1:6"), KEY, 6)))
                .containsExactly(HandOverResult.OK, HandOverResult.FULL, HandOverResult.OK, HandOverResult.FULL);
        assertThat(a.acquire().chunks()).allMatch(chunk -> chunk.has(2) && !chunk.has(3) && !chunk.has(6));
    }

    @Test
    void aPartitionsBoundCountsAllLanesTogetherAndNothingElse() {
        a.acquire();
        a.block(KEY, P1, Owner.LONG);
        a.block("other", P4, Owner.LONG);
        a.schedule(new Position("1:7"), null, 7, now() + Owner.LONG);
        assertThat(a.hand(100, 2, park(P2, KEY, 2), park(new Position("1:5"), "other", 5), park(P3, KEY, 3)))
                .containsExactly(HandOverResult.OK, HandOverResult.OK, HandOverResult.FULL);
    }

    @Test
    void aParkOfWhatTheStoreForgotSetsNoBit() {
        a.acquire();
        a.block(KEY, P1, Owner.LONG);
        assertThat(a.hand(new StoreRequest.HandOver(P2, KEY, 2, new StoreRequest.Move.Park(), null)))
                .containsExactly(HandOverResult.DONE);
        assertThat(a.acquire().chunks()).noneMatch(chunk -> chunk.has(2));
    }

    @Test
    void aHeldTaskMovesIntoTheLaneOfItsBlockedKey() {
        a.acquire();
        a.schedule(P2, KEY, 2, now() - 5);
        assertThat(a.due(0, 9).offered()).hasSize(1);
        assertThat(a.hand(parkHeld(P2, KEY))).containsExactly(HandOverResult.OPEN);
        a.block(KEY, P1, Owner.LONG);
        assertThat(a.hand(parkHeld(P2, KEY))).containsExactly(HandOverResult.OK);
        assertThat(a.hand(parkHeld(P2, KEY))).containsExactly(HandOverResult.DONE);
        assertThat(a.hand(parkHeld(P3, KEY))).containsExactly(HandOverResult.DONE);
        assertThat(a.acquire().nextDueMillis()).isGreaterThan(SHORT);
    }

    @Test
    void anAdoptedTaskIsHeldUnderItsClaimAndItsKeyIsBlocked() {
        a.acquire();
        long token = a.claim(P1, KEY);
        assertThat(a.adopt(P1, KEY, 1)).isEqualTo(HandOverResult.OK);
        assertThat(a.hand(park(P2, KEY, 2))).containsExactly(HandOverResult.OK);
        Acquired acquired = a.acquire(new PresentedClaim(P1, token, KEY, 1, 1));
        assertThat(acquired.presentedTokens()).containsExactly(token);
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
        assertThat(acquired.chunks()).hasSize(1).allMatch(chunk -> chunk.has(1));
        assertThat(a.settle(P1, token, KEY, 1, new Verdict.Success(null), a.nextToken()))
                .isInstanceOf(SettleResult.Next.class);
    }

    @Test
    void adoptingAnothersClaimSaysSo() {
        a.acquire();
        long token = a.claim(P1, KEY);
        b.generation = 2;
        b.acquire();
        assertThat(b.adopt(P1, KEY, 1)).isEqualTo(HandOverResult.OK);
        assertThat(b.adopt(P1, KEY, 1)).isEqualTo(HandOverResult.DONE);
        Acquired acquired = b.acquire();
        assertThat(acquired.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.OTHER_OWNER, P1));
        assertThat(acquired.otherClaims()).hasSize(1).allMatch(OtherClaim::inStore);
        assertThat(a.late(P1, token, KEY, 1, new Verdict.Success(null))).isTrue();
        assertThat(b.blocked()).isEmpty();
    }

    @Test
    void withoutAClaimThereIsNothingToAdopt() {
        a.acquire();
        assertThat(a.adopt(P1, KEY, 1)).isEqualTo(HandOverResult.GONE);
        Acquired acquired = a.acquire();
        assertThat(acquired.chunks()).isEmpty();
        assertThat(acquired.blocked()).isEmpty();
    }

    @Test
    void aBuriedTaskIsDeadAndTouchesNoKey() {
        a.acquire();
        assertThat(a.bury(P1, 1)).isEqualTo(HandOverResult.OK);
        Acquired acquired = a.acquire();
        assertThat(acquired.blocked()).isEmpty();
        assertThat(acquired.chunks()).hasSize(1).allMatch(chunk -> chunk.has(1));
        assertThat(a.claimed(P1, null, false)).isEqualTo(ClaimResult.Done.INSTANCE);
    }

    // Due

    @Test
    void whatFellDueComesInItsOrder() {
        a.acquire();
        long now = now();
        a.schedule(P1, null, 1, now - 10);
        a.schedule(P2, null, 2, now - 30);
        a.schedule(P3, null, 3, now - 20);
        DueTasks due = a.due(2, 0);
        assertThat(due.claimed()).extracting(DueTask::position).containsExactly(P2, P3);
        assertThat(due.claimed().get(1).token()).isEqualTo(due.claimed().get(0).token() + 1);
        assertThat(due.more()).isTrue();
        assertThat(due.nextDueMillis()).isEqualTo(0);
        due = a.due(2, 0);
        assertThat(due.claimed()).extracting(DueTask::position).containsExactly(P1);
        assertThat(due.more()).isFalse();
        assertThat(due.nextDueMillis()).isEqualTo(-1);
        assertThat(a.succeed(P1, due.claimed().get(0).token(), null, -1)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    void aKeyedTaskIsOfferedAndHidden() {
        a.acquire();
        a.schedule(P1, KEY, 1, now() - 20);
        a.schedule(P2, KEY, 2, now() - 10);
        DueTasks due = a.due(9, 1);
        assertThat(due.claimed()).isEmpty();
        assertThat(due.offered()).extracting(DueTask::position).containsExactly(P1);
        assertThat(due.offered()).extracting(DueTask::token).containsExactly(0L);
        assertThat(due.more()).isTrue();
        due = a.due(9, 9);
        assertThat(due.offered()).extracting(DueTask::position).containsExactly(P2);
        assertThat(due.more()).isFalse();
        assertThat(due.nextDueMillis()).isBetween(1L, Owner.LONG);
    }

    @Test
    void aHiddenTaskIsOfferedAgainAfterALease() {
        a.acquire();
        a.schedule(P1, KEY, 1, now() - 20);
        a.leaseMillis = SHORT;
        a.due(0, 1);
        pass(SHORT + 1);
        assertThat(a.due(0, 1).offered()).extracting(DueTask::position).containsExactly(P1);
    }

    @Test
    void aTaskThatFellDueBehindItsBlockedKeyIsOffered() {
        a.acquire();
        a.block(KEY, P1, Owner.LONG);
        a.schedule(P2, KEY, 2, now() - 20);
        DueTasks due = a.due(9, 9);
        assertThat(due.claimed()).isEmpty();
        assertThat(due.offered()).extracting(DueTask::position).containsExactly(P2);
        assertThat(a.hand(parkHeld(P2, KEY))).containsExactly(HandOverResult.OK);
    }

    @Test
    void aHeadThatFellDueIsClaimedThoughOthersAreOffered() {
        a.acquire();
        a.block(KEY, P1, 0);
        a.schedule(P2, "other", 2, now() - 20);
        DueTasks due = a.due(9, 9);
        assertThat(due.claimed()).extracting(DueTask::position).containsExactly(P1);
        assertThat(due.offered()).extracting(DueTask::position).containsExactly(P2);
    }

    @Test
    void withoutOrderKeysAreIgnored() {
        a.acquire();
        a.schedule(P1, KEY, 1, now() - 20);
        a.schedule(P2, KEY, 2, now() - 10);
        DueTasks due = a.due(9, 0, false);
        assertThat(due.claimed()).extracting(DueTask::position).containsExactly(P1, P2);
        assertThat(a.blocked()).isEmpty();
    }

    // Renew

    @Test
    void renewedClaimsDoNotLapse() {
        a.leaseMillis = SHORT;
        a.acquire();
        long token = a.claim(P1, KEY);
        a.leaseMillis = Owner.LONG;
        LeasesRenewed renewed = a.renew(P1, token);
        assertThat(renewed.lost()).isEmpty();
        assertThat(renewed.nextLapseMillis()).isBetween(SHORT, Owner.LONG);
        pass(SHORT + 1);
        assertThat(a.patrol().returned()).isEqualTo(0);
        assertThat(a.succeed(P1, token, KEY, 1)).isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    void claimsThatAreNotOursAnyMoreAreLost() {
        a.acquire();
        long token = a.claim(P1, KEY);
        assertThat(a.renew(P1, token - 1).lost()).containsExactly(P1);
        assertThat(a.renew(P2, token).lost()).containsExactly(P2);
        assertThat(a.renew(P1, token).lost()).isEmpty();
    }

    @Test
    void aProbeAnswersTheRunIdAndKeepsTheLease() {
        a.leaseMillis = SHORT;
        a.generation = -1;
        String runId = a.acquire().runId();
        a.leaseMillis = Owner.LONG;
        LeasesRenewed renewed = a.probe();
        assertThat(renewed.runId()).isEqualTo(runId);
        assertThat(renewed.durable()).isTrue();
        assertThat(renewed.opened()).isEmpty();
        pass(SHORT + 1);
        b.generation = -1;
        assertThat(b.tryAcquire()).isInstanceOf(Refused.class);
    }

    // Patrol

    @Test
    void aLapsedClaimOfTheBrokersTaskMakesItsKeyWait() {
        a.leaseMillis = SHORT;
        a.acquire();
        long token = a.claim(P1, KEY);
        assertThat(a.patrol().returned()).isEqualTo(0);
        pass(SHORT + 1);
        StoreAnswer.LeasesExpired patrolled = a.patrol();
        assertThat(patrolled.returned()).isEqualTo(1);
        assertThat(patrolled.waiting()).containsExactly(new BlockedKey(KEY, BlockReason.REDELIVERY, P1));
        assertThat(patrolled.nextLapseMillis()).isEqualTo(-1);
        assertThat(a.succeed(P1, token, KEY, 1)).isEqualTo(SettleResult.Refused.INSTANCE);
        assertThat(a.claimed(P2, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
        assertThat(a.claimed(P1, KEY, false)).isEqualTo(new ClaimResult.Ok(1));
        assertThat(a.succeed(P1, a.lastToken(), KEY, 1)).isEqualTo(SettleResult.Ok.OPENED);
    }

    @Test
    void aLapsedClaimWithoutAKeyOnlyCountsALapse() {
        a.leaseMillis = SHORT;
        a.acquire();
        a.claim(P1, null);
        pass(SHORT + 1);
        assertThat(a.patrol().waiting()).isEmpty();
        a.leaseMillis = SHORT;
        assertThat(a.claimed(P1, null, false)).isEqualTo(new ClaimResult.Ok(1));
        pass(SHORT + 1);
        a.patrol();
        assertThat(a.claimed(P1, null, false)).isEqualTo(new ClaimResult.Ok(2));
    }

    @Test
    void aLapsedClaimOfAHeldTaskIsDueNow() {
        a.leaseMillis = SHORT;
        a.acquire();
        a.block(KEY, P1, 0);
        a.due(1, 0);
        pass(SHORT + 1);
        StoreAnswer.LeasesExpired patrolled = a.patrol();
        assertThat(patrolled.returned()).isEqualTo(1);
        assertThat(patrolled.waiting()).isEmpty();
        assertThat(patrolled.nextDueMillis()).isEqualTo(0);
        assertThat(a.due(1, 0).claimed()).extracting(DueTask::lapses).containsExactly(1);
        assertThat(a.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
    }

    @Test
    void whatADeadExecutorHadBegunGoesBeforeWhatWaits() {
        a.leaseMillis = SHORT;
        a.acquire();
        long first = a.nextToken();
        long last = a.nextToken();
        a.acquire(new PresentedClaim(P1, first, KEY, 1, 1), new PresentedClaim(P2, last, KEY, 1, 2));
        b.generation = 2;
        b.leaseMillis = Owner.LONG;
        b.acquire();
        assertThat(b.adopt(P2, KEY, 2)).isEqualTo(HandOverResult.OK);
        assertThat(b.adopt(P1, KEY, 1)).isEqualTo(HandOverResult.OK);
        assertThat(b.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.OTHER_OWNER, P2));
        assertThat(b.hand(Owner.park(P3, KEY, 3))).containsExactly(HandOverResult.OK);
        pass(SHORT + 1);
        assertThat(b.patrol().returned()).isEqualTo(2);
        DueTask due = b.due(2, 2).claimed().get(0);
        assertThat(due.position()).isEqualTo(P2);
        assertThat(next(P2, due.token())).isEqualTo(P1);
        assertThat(next(P1, b.lastToken())).isEqualTo(P3);
    }

    /** What b's lane goes on with when the given head has succeeded. */
    private Position next(Position head, long claimed) {
        SettleResult settled = b.settle(head, claimed, KEY, -1, new Verdict.Success(null), b.nextToken());
        return ((SettleResult.Next) settled).position();
    }

    @Test
    void aRedeliveryThatHadBegunIsParkedBeforeWhatWaits() {
        a.leaseMillis = SHORT;
        a.acquire();
        long first = a.nextToken();
        long last = a.nextToken();
        a.acquire(new PresentedClaim(P1, first, KEY, 1, 1), new PresentedClaim(P2, last, KEY, 1, 2));
        b.generation = 2;
        b.leaseMillis = Owner.LONG;
        b.acquire();
        b.adopt(P2, KEY, 2);
        b.hand(Owner.park(P3, KEY, 3));
        pass(SHORT + 1);
        assertThat(b.patrol().waiting()).isEmpty();
        assertThat(b.hand(Owner.park(P1, KEY, 1))).containsExactly(HandOverResult.OK);
        DueTask due = b.due(2, 2).claimed().get(0);
        assertThat(next(P2, due.token())).isEqualTo(P1);
    }

    @Test
    void aPatrolTakesNoMoreThanItsLimit() {
        a.leaseMillis = SHORT;
        a.acquire();
        a.claim(P1, null);
        a.claim(P2, null);
        a.claim(P3, null);
        pass(SHORT + 1);
        StoreAnswer.LeasesExpired patrolled = a.patrol(0, 2);
        assertThat(patrolled.returned()).isEqualTo(2);
        assertThat(patrolled.nextLapseMillis()).isEqualTo(0);
        assertThat(a.patrol(0, 2).returned()).isEqualTo(1);
    }

    @Test
    void aPatrolThatWasDeafExtendsAllInstead() {
        a.leaseMillis = SHORT;
        a.acquire();
        long token = a.claim(P1, KEY);
        pass(SHORT + 1);
        StoreAnswer.LeasesExpired patrolled = a.patrol(Owner.LONG, 100);
        assertThat(patrolled.returned()).isEqualTo(0);
        assertThat(patrolled.nextLapseMillis()).isGreaterThan(SHORT);
        assertThat(a.patrol().returned()).isEqualTo(0);
        assertThat(a.succeed(P1, token, KEY, 1)).isEqualTo(SettleResult.Ok.PLAIN);
        b.generation = -1;
        assertThat(b.tryAcquire()).as("the owner's lease too").isInstanceOf(Refused.class);
    }

    // Gone, committed, release

    @Test
    void aKeyGoesOnWhenWhatItWaitedForIsGone() {
        a.leaseMillis = SHORT;
        a.acquire();
        a.claim(P1, KEY);
        pass(SHORT + 1);
        a.patrol();
        a.hand(park(P2, KEY, 2));
        a.gone(P3, KEY);
        assertThat(a.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.REDELIVERY, P1));
        a.gone(P1, KEY);
        assertThat(a.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P2));
        assertThat(a.due(1, 0).claimed()).extracting(DueTask::position).containsExactly(P2);
    }

    @Test
    void onlyAKeyThatWaitsForARedeliveryCanLoseItsHead() {
        a.acquire();
        a.block(KEY, P1, Owner.LONG);
        a.gone(P1, KEY);
        assertThat(a.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
    }

    @Test
    void chunksWhollyBelowTheCommitGo() {
        a.acquire();
        long t1 = a.claim(P1, null);
        a.succeed(P1, t1, null, 5);
        long t2 = a.claim(P2, null);
        a.succeed(P2, t2, null, SettledChunk.BITS + 5);
        a.committed(SettledChunk.BITS + 1);
        Acquired acquired = a.acquire();
        assertThat(acquired.storedCommit()).isEqualTo(SettledChunk.BITS + 1);
        assertThat(acquired.chunks()).extracting(SettledChunk::index).containsExactly(1L);
        a.committed(3);
        assertThat(a.acquire().storedCommit()).isEqualTo(SettledChunk.BITS + 1);
    }

    @Test
    void theMirrorOfAnotherIncarnationDoesNotCount() {
        a.committed = 10;
        a.acquire();
        a.incarnation++;
        a.committed(20);
        assertThat(a.acquire().storedCommit()).isEqualTo(10);
    }

    @Test
    void releasedClaimsStay() {
        a.generation = -1;
        a.acquire();
        long token = a.claim(P1, KEY);
        a.release();
        b.generation = -1;
        assertThat(b.acquire().otherClaims()).extracting(OtherClaim::token).containsExactly(token);
    }

    // Keep and late

    @Test
    void aFormerOwnerKeepsItsRunningClaimsByTheirTokens() {
        a.leaseMillis = SHORT;
        a.acquire();
        long token = a.claim(P1, KEY);
        b.generation = 2;
        b.acquire();
        a.leaseMillis = Owner.LONG;
        assertThat(a.keep(P1, token - 1)).containsExactly(P1);
        assertThat(a.keep(P1, token)).isEmpty();
        pass(SHORT + 1);
        assertThat(b.patrol().returned()).isEqualTo(0);
        assertThat(a.late(P1, token, KEY, 1, new Verdict.Success(null))).isTrue();
        assertThat(a.keep(P1, token)).containsExactly(P1);
    }

    @Test
    void aFormerOwnersOutcomeGoesByItsToken() {
        a.acquire();
        long token = a.claim(P1, KEY);
        b.generation = 2;
        b.acquire();
        assertThat(a.late(P1, token - 1, KEY, 1, new Verdict.Success(null))).isFalse();
        assertThat(a.late(P1, token, KEY, 1, new Verdict.Success(null))).isTrue();
        assertThat(b.probe().opened()).containsExactly(KEY);
        assertThat(b.probe().opened()).as("said once").isEmpty();
        Acquired acquired = b.acquire();
        assertThat(acquired.otherClaims()).isEmpty();
        assertThat(acquired.blocked()).isEmpty();
        assertThat(acquired.chunks()).hasSize(1).allMatch(chunk -> chunk.has(1));
    }

    @Test
    void aFormerOwnersOutcomeMakesTheNextOfTheLaneDue() {
        a.acquire();
        long token = a.claim(P1, KEY);
        b.generation = 2;
        b.acquire();
        b.hand(park(P2, KEY, 2), park(P3, KEY, 3));
        assertThat(a.late(P1, token, KEY, 1, new Verdict.Success(null))).isTrue();
        assertThat(b.probe().opened()).containsExactly(KEY);
        assertThat(b.due(9, 9).claimed()).extracting(DueTask::position).containsExactly(P2);
        assertThat(b.blocked()).extracting(BlockedKey::head).containsExactly(P2);
    }

    @Test
    void aFormerOwnersRetryBlocksItsKey() {
        a.acquire();
        long token = a.claim(P1, KEY);
        b.generation = 2;
        b.acquire();
        assertThat(a.late(P1, token, KEY, 1, new Verdict.Retry(Owner.LONG, envelope(KEY, token))))
                .isTrue();
        assertThat(b.blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
        assertThat(a.late(P1, token, KEY, 1, new Verdict.Retry(0, envelope(KEY, token))))
                .as("once more: it is recorded already")
                .isTrue();
    }

    @Test
    void aFormerOwnersOutcomeIsRefusedOnceItsTaskWasTakenOver() {
        a.leaseMillis = SHORT;
        a.acquire();
        long old = a.claim(P1, KEY);
        b.generation = 2;
        b.acquire();
        pass(SHORT + 1);
        b.patrol();
        long token = b.claim(P1, KEY);
        assertThat(a.late(P1, old, KEY, 1, new Verdict.Success(null))).isFalse();
        assertThat(b.succeed(P1, token, KEY, 1)).isEqualTo(SettleResult.Ok.OPENED);
    }

    @Test
    void aFormerOwnersReturnLeavesTheTaskToTheNext() {
        a.acquire();
        long token = a.claim(P1, KEY);
        b.generation = 2;
        b.acquire();
        assertThat(a.late(P1, token, KEY, 1, new Verdict.Returned())).isTrue();
        assertThat(b.probe().opened()).containsExactly(KEY);
        assertThat(b.claimed(P2, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
        assertThat(b.claimed(P1, KEY, false)).isEqualTo(ClaimResult.Ok.FIRST);
    }

    private Settle settle(Position position, long token, long bit) {
        return new Settle(position, token, null, bit, new Verdict.Success(null), 0);
    }

    private Settle success(Position position, long token) {
        return settle(position, token, -1);
    }

    private SettleAndClaim step(RequestHeader header, Settle settle) {
        return new SettleAndClaim(header, Owner.LONG, a.incarnation, 0, List.of(settle), List.of());
    }

    private SettleAndClaim step(RequestHeader header, Claim claim) {
        return new SettleAndClaim(header, Owner.LONG, a.incarnation, 0, List.of(), List.of(claim));
    }
}
