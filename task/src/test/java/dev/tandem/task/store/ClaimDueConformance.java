package dev.tandem.task.store;

import static dev.tandem.task.store.OwnerClient.parkHeld;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.DueTasks;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link StoreRequest.ClaimDue}: which due tasks are claimed, and which are offered; {@link StoreRequest.DeclineOffers}. */
interface ClaimDueConformance extends StoreFixture {

    @Test
    default void dueTasksAreClaimedInTheOrderOfTheirDueTimes() {
        first().acquire();
        long now = storeTime();
        first().schedule(P1, null, 1, now - 10);
        first().schedule(P2, null, 2, now - 30);
        first().schedule(P3, null, 3, now - 20);
        DueTasks due = first().claimDue(2, 0);
        assertThat(due.claimed()).extracting(DueTask::position).containsExactly(P2, P3);
        assertThat(due.claimed().get(1).token()).isEqualTo(due.claimed().get(0).token() + 1);
        assertThat(due.more()).isTrue();
        assertThat(due.nextDueMillis()).isEqualTo(0);
        due = first().claimDue(2, 0);
        assertThat(due.claimed()).extracting(DueTask::position).containsExactly(P1);
        assertThat(due.more()).isFalse();
        assertThat(due.nextDueMillis()).isEqualTo(-1);
        assertThat(first().succeed(P1, due.claimed().get(0).token(), null, SettledMark.NONE))
                .isEqualTo(SettleResult.Ok.PLAIN);
    }

    @Test
    default void aKeyedTaskIsOfferedAndThenHidden() {
        first().acquire();
        first().schedule(P1, KEY, 1, storeTime() - 20);
        first().schedule(P2, KEY, 2, storeTime() - 10);
        DueTasks due = first().claimDue(9, 1);
        assertThat(due.claimed()).isEmpty();
        assertThat(due.offered()).extracting(DueTask::position).containsExactly(P1);
        assertThat(due.offered()).extracting(DueTask::token).containsExactly(0L);
        assertThat(due.more()).isTrue();
        due = first().claimDue(9, 9);
        assertThat(due.offered()).extracting(DueTask::position).containsExactly(P2);
        assertThat(due.more()).isFalse();
        assertThat(due.nextDueMillis()).isBetween(1L, OwnerClient.LONG);
    }

    @Test
    default void aHiddenTaskIsOfferedAgainAfterALease() {
        first().acquire();
        first().schedule(P1, KEY, 1, storeTime() - 20);
        first().leaseMillis = SHORT;
        first().claimDue(0, 1);
        letTimePass(SHORT + 1);
        assertThat(first().claimDue(0, 1).offered())
                .extracting(DueTask::position)
                .containsExactly(P1);
    }

    @Test
    default void aDueTaskOfABlockedKeyIsOffered() {
        first().acquire();
        first().blockKey(KEY, P1, OwnerClient.LONG);
        first().schedule(P2, KEY, 2, storeTime() - 20);
        DueTasks due = first().claimDue(9, 9);
        assertThat(due.claimed()).isEmpty();
        assertThat(due.offered()).extracting(DueTask::position).containsExactly(P2);
        assertThat(first().takeCustody(parkHeld(P2, KEY))).containsExactly(HandOverResult.OK);
    }

    @Test
    default void aDueHeadIsClaimedWhileOtherTasksAreOffered() {
        first().acquire();
        first().blockKey(KEY, P1, 0);
        first().schedule(P2, "other", 2, storeTime() - 20);
        DueTasks due = first().claimDue(9, 9);
        assertThat(due.claimed()).extracting(DueTask::position).containsExactly(P1);
        assertThat(due.offered()).extracting(DueTask::position).containsExactly(P2);
    }

    /** A store may look at some of the due tasks only, but heads come before those that may not be offered. */
    @Test
    default void tasksThatMayNotBeOfferedHideNoDueHead() {
        first().acquire();
        HandOver[] earlier = new HandOver[1_200];
        for (int i = 0; i < earlier.length; i++) {
            Move schedule = new Move.Schedule(storeTime() - 10_000);
            byte[] envelope = OwnerClient.envelope("other", 0);
            earlier[i] = new HandOver(Position.of(0, 100 + i), "other", SettledMark.NONE, schedule, envelope);
        }
        first().takeCustody(earlier);
        first().blockKey(KEY, P1, 0);
        DueTasks due = first().claimDue(1, 0);
        assertThat(due.claimed()).extracting(DueTask::position).containsExactly(P1);
        assertThat(due.offered()).isEmpty();
        assertThat(due.more()).isTrue();
    }

    @Test
    default void aTaskWithoutAKeyIsOfferedOnceThereAreNoMoreClaims() {
        first().acquire();
        long now = storeTime();
        first().schedule(P1, null, 1, now - 30);
        first().schedule(P2, null, 2, now - 20);
        first().schedule(P3, null, 3, now - 10);
        DueTasks due = first().claimDue(1, 9, 1, null);
        assertThat(due.claimed()).extracting(DueTask::position).containsExactly(P1);
        assertThat(due.offered()).extracting(DueTask::position).containsExactly(P2);
        assertThat(due.more()).isTrue();
        due = first().claimDue(0, 1, 9, null);
        assertThat(due.offered()).extracting(DueTask::position).containsExactly(P3);
        assertThat(due.more()).isFalse();
        assertThat(due.nextDueMillis()).isBetween(1L, OwnerClient.LONG / StoreRequest.ClaimDue.AHEAD_SHARE);
        assertThat(first().tryClaim(P3, null, true)).isEqualTo(ClaimResult.Ok.FIRST);
    }

    @Test
    default void anOfferedTaskWithoutAKeyIsHiddenForAPartOfALease() {
        first().acquire();
        first().schedule(P1, null, 1, storeTime() - 20);
        first().leaseMillis = SHORT * StoreRequest.ClaimDue.AHEAD_SHARE;
        first().claimDue(0, 1, 1, null);
        letTimePass(SHORT + 1);
        assertThat(first().claimDue(1, 0).claimed())
                .extracting(DueTask::position)
                .containsExactly(P1);
    }

    @Test
    default void theFirstTaskOfAnIdleKeyIsClaimedAndOthersAreOffered() {
        first().acquire();
        long now = storeTime();
        first().schedule(P1, KEY, 1, now - 40);
        first().schedule(P2, KEY, 2, now - 30);
        first().schedule(P3, "busy", 3, now - 20);
        DueTasks due = first().claimDue(9, 9, 0, List.of("busy"));
        assertThat(due.claimed()).extracting(DueTask::position).containsExactly(P1);
        assertThat(due.claimed()).extracting(DueTask::head).containsExactly(false);
        assertThat(due.offered()).extracting(DueTask::position).containsExactly(P2, P3);
        assertThat(first().succeed(P1, due.claimed().get(0).token(), KEY, SettledMark.NONE))
                .isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(first().blocked()).isEmpty();
    }

    @Test
    default void aTaskOfAnIdleKeyIsNotClaimedIfAnEarlierOneHadNoPlace() {
        first().acquire();
        long now = storeTime();
        first().schedule(P1, "busy", 1, now - 40);
        first().schedule(P2, "other", 2, now - 30);
        first().schedule(P3, "other", 3, now - 20);
        first().schedule(P4, null, 4, now - 10);
        DueTasks due = first().claimDue(1, 0, 0, List.of("busy"));
        assertThat(due.claimed()).extracting(DueTask::position).containsExactly(P2);
        assertThat(due.more()).isTrue();
        due = first().claimDue(2, 0, 0, List.of("busy", "other"));
        assertThat(due.claimed()).extracting(DueTask::position).containsExactly(P4);
    }

    @Test
    default void manyDueTasksOfABusyKeyDoNotHideThatOfAnotherKey() {
        first().acquire();
        first().schedule(P1, KEY, 1, storeTime() - 900);
        assertThat(first().tryClaim(P1, KEY, true)).isEqualTo(ClaimResult.Ok.FIRST);
        List<HandOver> many = new ArrayList<>();
        for (int i = 0; i < 501; i++) {
            Move due = new Move.Schedule(storeTime() - 800 + i);
            many.add(new HandOver(
                    new Position("1:" + (100 + i)), KEY, SettledMark.NONE, due, OwnerClient.envelope(KEY, 0)));
        }
        first().takeCustody(many.toArray(HandOver[]::new));
        first().schedule(P2, "other", 2, storeTime() - 20);
        first().schedule(P3, "third", 3, storeTime() - 10);

        List<DueTask> claimed = new ArrayList<>();
        for (int i = 0; i < 6 && claimed.isEmpty(); i++) {
            claimed.addAll(first().claimDue(1, 100, 0, List.of(KEY)).claimed());
        }
        assertThat(claimed).extracting(DueTask::position).containsExactly(P2);

        assertThat(first().takeCustody(OwnerClient.adoptHeld(P1, KEY))).containsExactly(HandOverResult.OK);
        HandOver[] parks = many.stream()
                .map(each -> OwnerClient.parkHeld(each.position(), KEY))
                .toArray(HandOver[]::new);
        assertThat(first().takeCustody(1_000, 1_000, parks)).containsOnly(HandOverResult.OK);
        assertThat(first().claimDue(1, 0, 0, List.of(KEY, "other")).claimed())
                .extracting(DueTask::position)
                .containsExactly(P3);
    }

    @Test
    default void aTaskOfABlockedKeyIsOfferedThoughTheOwnerHasNoneOfIt() {
        first().acquire();
        first().blockKey(KEY, P1, OwnerClient.LONG);
        first().schedule(P2, KEY, 2, storeTime() - 20);
        DueTasks due = first().claimDue(9, 9, 0, List.of());
        assertThat(due.claimed()).isEmpty();
        assertThat(due.offered()).extracting(DueTask::position).containsExactly(P2);
    }

    @Test
    default void aClaimedHeadIsSaidToBeOne() {
        first().acquire();
        first().blockKey(KEY, P1, 0);
        assertThat(first().claimDue(9, 9, 0, List.of()).claimed())
                .extracting(DueTask::head)
                .containsExactly(true);
    }

    @Test
    default void anUnorderedRequestIgnoresKeys() {
        first().acquire();
        first().schedule(P1, KEY, 1, storeTime() - 20);
        first().schedule(P2, KEY, 2, storeTime() - 10);
        DueTasks due = first().claimDue(9, 0, false);
        assertThat(due.claimed()).extracting(DueTask::position).containsExactly(P1, P2);
        assertThat(first().blocked()).isEmpty();
    }

    @Test
    default void aDeclinedTaskIsOfferedAgainAfterItsDelay() {
        first().acquire();
        first().schedule(P1, KEY, 1, storeTime() - 20);
        first().schedule(P2, KEY, 2, storeTime() - 10);
        first().claimDue(0, 9);
        first().decline(P1, KEY, SHORT);
        DueTasks due = first().claimDue(0, 9);
        assertThat(due.offered()).isEmpty();
        assertThat(due.nextDueMillis()).isBetween(0L, SHORT);
        letTimePass(SHORT + 1);
        assertThat(first().claimDue(0, 9).offered())
                .extracting(DueTask::position)
                .containsExactly(P1);
    }

    @Test
    default void aTaskThatIsDueAgainMeanwhileIsNotPostponed() {
        first().acquire();
        first().schedule(P1, KEY, 1, storeTime() - 20);
        first().decline(P1, KEY, OwnerClient.LONG);
        assertThat(first().claimDue(0, 9).offered())
                .extracting(DueTask::position)
                .containsExactly(P1);
    }

    @Test
    default void aHeadIsNotPostponed() {
        first().acquire();
        first().blockKey(KEY, P1, SHORT);
        first().decline(P1, KEY, OwnerClient.LONG);
        letTimePass(SHORT + 1);
        assertThat(first().claimDue(1, 0).claimed())
                .extracting(DueTask::position)
                .containsExactly(P1);
    }

    @Test
    default void aTaskThatIsNotScheduledAnyMoreIsNotPostponed() {
        first().acquire();
        first().blockKey(KEY, P1, OwnerClient.LONG);
        first().schedule(P2, KEY, 2, storeTime() - 20);
        first().claimDue(0, 9);
        first().takeCustody(parkHeld(P2, KEY));
        first().decline(P2, KEY, SHORT);
        first().decline(P3, KEY, SHORT);
        letTimePass(SHORT + 1);
        assertThat(first().claimDue(9, 9).offered()).isEmpty();
    }
}
