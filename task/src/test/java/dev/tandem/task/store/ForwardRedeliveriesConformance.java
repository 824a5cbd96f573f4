package dev.tandem.task.store;

import static dev.tandem.task.store.OwnerClient.envelope;
import static dev.tandem.task.store.QueueFixture.pages;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.IdentityPage;
import dev.tandem.task.store.StoreAnswer.LapsedClaim;
import dev.tandem.task.store.StoreAnswer.LiveClaim;
import dev.tandem.task.store.StoreAnswer.RedeliveriesForwarded;
import dev.tandem.task.store.StoreAnswer.RedeliveryHistory;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest.ForwardRedeliveries;
import dev.tandem.task.store.StoreRequest.Redelivery;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Unordered message queues: {@link StoreRequest.ListKnownPositions} and {@link StoreRequest.ForwardRedeliveries}, for
 * messages that were redelivered to another partition.
 */
interface ForwardRedeliveriesConformance extends QueueFixture {

    @Test
    default void knownPositionsTellWhichClaimsAreOfAFormerOwner() {
        owner().acquire();
        owner().claim(M1, null);
        owner().claim(M2, null);
        owner().adopt(M2, null, SettledMark.NONE);
        assertThat(knownPositions().claims())
                .extracting(LiveClaim::ofFormerOwner)
                .containsExactly(false);
        successor().acquire();
        successor().claim(C1, null);
        assertThat(knownPositions().claims()).extracting(LiveClaim::position).containsExactlyInAnyOrder(M1, C1);
        assertThat(knownPositions().claims())
                .allSatisfy(live -> assertThat(live.ofFormerOwner())
                        .isEqualTo(live.position().equals(M1)))
                .allSatisfy(live -> assertThat(live.remainingMillis()).isBetween(1L, OwnerClient.LONG));
    }

    @Test
    default void knownPositionsAreCompleteAgainOnceTheQuietPeriodAfterARestartHasPassed() {
        owner().leaseMillis = SHORT;
        owner().acquire();
        assertThat(knownPositions().complete()).isTrue();
        letTimePass(SHORT + 1);
        restartStore();
        assertThat(knownPositions().complete())
                .as("nobody has acquired the partition since")
                .isFalse();
        successor().leaseMillis = SHORT;
        successor().acquire();
        assertThat(knownPositions().complete())
                .as("others may still run something")
                .isFalse();
        letTimePass(SHORT + 1);
        assertThat(knownPositions().complete()).isTrue();
    }

    @Test
    default void anUnknownPartitionKnowsNoPositions() {
        assertThat(knownPositions().complete()).isTrue();
        assertThat(knownPositions().claims()).isEmpty();
        assertThat(knownPositions().history()).isEqualTo(RedeliveryHistory.NONE);
        assertThat(forward("x", M1).results()).containsExactly(HandOverResult.GONE);
        assertThat(forward("x").runId()).isEqualTo(knownPositions().runId());
    }

    @Test
    default void aForwardedRedeliveryOfARunningTaskIsHeldUnderItsClaim() {
        owner().leaseMillis = SHORT;
        owner().acquire();
        long token = owner().claim(M1, null);
        owner().claim(TWIN, null);
        assertThat(forward("x", M1, M2).results()).containsExactly(HandOverResult.OK, HandOverResult.GONE);
        assertThat(knownPositions().claims()).extracting(LiveClaim::position).containsExactly(TWIN);
        assertThat(owner().claimDue(9, 9).claimed()).isEmpty();
        assertThat(owner().succeed(M1, token, null, SettledMark.AWAITS_REDELIVERY))
                .isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(knownPositions().history().awaitingRedelivery()).isEmpty();
        letTimePass(SHORT + 1);
        assertThat(owner().expireLeases().returned()).isEqualTo(1);
        assertThat(knownPositions().history().lapsed()).containsExactly(new LapsedClaim(TWIN, 1));
    }

    @Test
    default void aForwardedRedeliveryOfALapsedTaskIsDueWithItsLapses() {
        owner().leaseMillis = SHORT;
        owner().acquire();
        owner().claim(M1, null);
        owner().claim(TWIN, null);
        assertThat(forward("x", TWIN).results()).containsExactly(HandOverResult.OK);
        letTimePass(SHORT + 1);
        owner().expireLeases();
        assertThat(forward("x", M1).results()).containsExactly(HandOverResult.OK);
        assertThat(knownPositions().history().lapsed()).isEmpty();
        assertThat(owner().claimDue(9, 9).claimed())
                .hasSize(2)
                .extracting(DueTask::lapses)
                .containsOnly(1);
        letTimePass(SHORT + 1);
        owner().expireLeases();
        assertThat(owner().claimDue(9, 9).claimed())
                .hasSize(2)
                .extracting(DueTask::lapses)
                .containsOnly(2);
    }

    @Test
    default void aForwardedTaskIsNotClaimedAgainBeforeItsMessageIsAcked() {
        owner().leaseMillis = SHORT;
        owner().acquire();
        owner().claim(M1, null);
        owner().claim(TWIN, null);
        assertThat(forwardAfter(OwnerClient.LONG, "x", TWIN).results()).containsExactly(HandOverResult.OK);
        letTimePass(SHORT + 1);
        assertThat(owner().expireLeases().returned())
                .as("the claim of the other task")
                .isEqualTo(1);
        assertThat(forwardAfter(OwnerClient.LONG, "x", M1).results()).containsExactly(HandOverResult.OK);
        assertThat(owner().claimDue(9, 9).claimed()).isEmpty();
        assertThat(owner().expireLeases().nextDueMillis()).isBetween(1L, OwnerClient.LONG);
    }

    @Test
    default void aForwardedRedeliveryThatWasAwaitedIsDone() {
        owner().acquire();
        long token = owner().claim(M1, null);
        successor().acquire();
        owner().settleLate(M1, token, null, SettledMark.NONE, new Verdict.Retry(0, envelope(null, token)));
        assertThat(forward("x", M1).results()).containsExactly(HandOverResult.DONE);
        assertThat(knownPositions().history().awaitingRedelivery()).isEmpty();
        assertThat(successor().claimDue(9, 9).claimed())
                .extracting(DueTask::envelope)
                .containsExactly(envelope(null, token));
        assertThat(successor().adopt(M1, null, 1))
                .as("the store holds the task")
                .isEqualTo(HandOverResult.DONE);
    }

    @Test
    default void aPositionIsGivenUpToOneAskerOnly() {
        owner().acquire();
        long awaited = owner().claim(M1, null);
        long token = owner().claim(M2, null);
        owner().succeed(M1, awaited, null, SettledMark.AWAITS_REDELIVERY);
        assertThat(forward("x", M1, M2).results()).containsExactly(HandOverResult.DONE, HandOverResult.OK);
        assertThat(forward("y", M1, M2).results()).containsExactly(HandOverResult.GONE, HandOverResult.GONE);
        owner().succeed(M2, token, null, SettledMark.NONE);
        assertThat(forward("x", M2, M1).results())
                .as("the same asker gets the same answer again, whatever became of the task")
                .containsExactly(HandOverResult.OK, HandOverResult.DONE);
    }

    @Test
    default void identitiesThatWereGivenUpFormAPage() {
        owner().acquire();
        owner().claim(M1, null);
        owner().claim(M2, null);
        forward("x", M2, M1);
        assertThat(pages(knownPositions().history())).containsExactly(IdentityPage.REDELIVERED + " " + ONE + TWO);
        owner().recordCommit(9);
        assertThat(pages(owner().acquire().history())).containsExactly(IdentityPage.REDELIVERED + " " + ONE + TWO);
    }

    private RedeliveriesForwarded forward(String asker, Position... positions) {
        return forwardAfter(0, asker, positions);
    }

    private RedeliveriesForwarded forwardAfter(long notBeforeMillis, String asker, Position... positions) {
        List<Redelivery> messages = Stream.of(positions)
                .map(position -> new Redelivery(position, envelope(null, 0)))
                .toList();
        return (RedeliveriesForwarded) answerTo(new ForwardRedeliveries(partition(), asker, notBeforeMillis, messages));
    }
}
