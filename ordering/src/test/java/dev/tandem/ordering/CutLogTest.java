package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.StoreRequest;
import org.junit.jupiter.api.Test;

/** Examples of the core: a log lost its last records, and others have their offsets now. */
class CutLogTest {

    private static final long UNTIL_DURABLE =
            CoreScript.SETTINGS.horizonMillis() + CoreScript.SETTINGS.probeMillis() + 1_000;

    @Test
    void recordAtAReusedOffsetRunsThoughTheFormerOneIsSettled() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0", "b1", "c2");
        core.succeeds("b1");
        core.succeeds("c2");

        core.cut(1);
        assertThat(core.rewinds()).isEqualTo(1);
        core.delivers("a0", "d1", "e2");

        assertThat(core.running()).contains("d1", "e2");
        core.succeeds("d1");
        core.succeeds("e2");
        core.succeeds("a0");
        core.succeeds("a0");
        assertThat(core.committed()).as("the store may forget the cut").isEqualTo(1);
        assertThat(core.cutsRecorded()).isZero();
        core.passes(UNTIL_DURABLE);
        assertThat(core.cutsRecorded()).isEqualTo(1);
        assertThat(core.committed()).isEqualTo(3);
    }

    @Test
    void whatIsSettledBelowTheCutDoesNotRunAgain() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0", "b1", "c2");
        core.succeeds("b1");
        core.succeeds("c2");

        core.cut(2);
        core.delivers("a0", "b1", "e2");

        assertThat(core.running()).contains("e2").doesNotContain("b1");
    }

    @Test
    void taskThatIsHeldByRedisRunsAlthoughItsRecordIsGone() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0", "b1");
        core.fails("b1", 1_000);

        core.cut(1);
        core.delivers("a0", "b1");
        core.passes(1_000);

        assertThat(core.store().incarnation()).isEqualTo(1);
        assertThat(core.running()).as("first the former record's task").contains("b1");
        core.succeeds("b1");
        assertThat(core.running()).as("then that of the record in its place").contains("b1");
    }

    @Test
    void cutThatTheStoreForgotIsToldAgain() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0", "b1", "c2");
        core.succeeds("c2");

        core.storeForgets(() -> core.cut(1));
        core.redisRestarts();
        core.connects();
        core.delivers("a0", "d1", "e2");

        assertThat(core.store().incarnation()).isEqualTo(1);
        core.passes(CoreScript.SETTINGS.leaseMillis());
        assertThat(core.running()).contains("d1", "e2");
    }

    @Test
    void cutThatIsToldAgainMakesNothingVoidThatWasSettledSince() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0", "b1", "c2");
        core.succeeds("c2");
        core.cut(1);
        core.delivers("a0", "d1", "e2");
        core.succeeds("e2");

        core.connectionBreaks();
        core.connects();

        assertThat(core.lastSent(StoreRequest.Acquire.class).cut()).isEqualTo(1);
        assertThat(core.store().incarnation()).isEqualTo(1);
        assertThat(core.store().isSettled(2)).isTrue();
    }

    @Test
    void taskThatRunsAtTheCutDoesNotSettleTheRecordInItsPlace() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0", "b1");
        core.cut(1);
        core.succeeds("b1");

        core.delivers("a0", "d1");
        assertThat(core.store().isSettled(1)).isFalse();
        assertThat(core.running()).contains("d1");
    }

    @Test
    void cutThatThisIncarnationDoesNotKnowIsPendingWhileTheStoreMayGoBackToAnEarlierOne() {
        CoreScript former = CoreScript.log().owns();
        former.delivers("a0", "b1", "c2");
        former.succeeds("c2");
        CoreScript core = former.anotherExecutor();
        former.storeForgets(() -> {
            former.cut(1);
            former.dies();
            core.owns();
            core.cut(1);
            assertThat(core.rewinds()).isZero();
            assertThat(core.cutsRecorded()).isZero();
        });
        core.redisRestarts();
        core.connects();

        assertThat(core.store().incarnation()).isEqualTo(1);
        assertThat(core.store().isSettled(2)).isFalse();
    }

    @Test
    void ownerThatLeavesWaitsUntilTheCutIsDurable() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("b1");
        core.succeeds("b1");
        core.cut(1);
        core.revoked();
        assertThat(core.hasLeft()).isFalse();
        core.passes(UNTIL_DURABLE);
        assertThat(core.cutsRecorded()).isEqualTo(1);
        assertThat(core.hasLeft()).isTrue();
    }

    /** A replica may be away. The loop waits for a few seconds only, since the broker waits for it. */
    @Test
    void ownerThatMustLeaveBeforeTheCutIsDurableLeavesItToTheNextOne() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0", "b1");
        core.cut(1);
        core.delivers("a0", "d1", "e2");
        core.succeeds("e2");
        core.revoked();
        assertThat(core.hasLeft()).isFalse();
        core.lost();
        assertThat(core.hasLeft()).isTrue();

        CoreScript next = core.anotherExecutor().owns();
        next.cut(1);
        next.delivers("a0", "d1", "e2");
        assertThat(next.store().incarnation()).isEqualTo(2);
        assertThat(next.running()).as("what was settled since the cut").contains("e2");
    }

    @Test
    void runOfALostRecordDoesNotSettleTheRecordInItsPlaceWhenTheStoreForgotTheRun() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0");
        core.storeForgets(() -> core.delivers("b1"));
        core.lost();
        CoreScript other = core.anotherExecutor().owns();
        other.cut(1);
        assertThat(other.store().incarnation()).as("nobody knows of the record").isZero();
        other.lost();

        core.losesWhatItHadFrom(1);
        core.owns();
        core.succeeds("b1");
        core.delivers("a0", "d1");

        assertThat(core.store().incarnation()).isEqualTo(1);
        assertThat(core.store().isSettled(1)).isFalse();
        assertThat(core.running()).contains("d1");
    }

    @Test
    void runOfARecordThatTheLogStillHasKeepsItsClaimWhenThePartitionComesBack() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0", "b1");
        core.lost();

        core.losesWhatItHadFrom(2);
        core.owns();
        core.delivers("a0", "b1");
        core.succeeds("b1");

        assertThat(core.store().incarnation()).isZero();
        assertThat(core.store().isSettled(1)).isTrue();
    }

    @Test
    void newLeaderOfAnUncutLogChangesNothing() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0", "b1");
        core.cut(2);
        core.delivers("c2");
        assertThat(core.cutsRecorded()).isEqualTo(1);

        assertThat(core.rewinds()).isZero();
        assertThat(core.running()).containsExactly("a0", "b1", "c2");
        assertThat(core.store().incarnation()).isZero();
    }

    @Test
    void nextOwnerLearnsOfTheCutFromItsFirstRecords() {
        CoreScript former = CoreScript.log().owns();
        former.delivers("a0", "b1", "c2");
        former.succeeds("c2");
        former.dies();

        CoreScript core = former.anotherExecutor().owns();
        core.cut(1);
        assertThat(core.rewinds()).isEqualTo(1);
        core.delivers("a0", "d1", "e2");
        assertThat(core.running()).containsExactlyInAnyOrder("d1", "e2");
    }

    @Test
    void keyDoesNotWaitForARecordThatTheLogLostBeforeAnotherIsPublished() {
        CoreScript former = CoreScript.log().owns();
        former.delivers("a0", "b1", "c2");
        former.succeeds("a0");
        former.dies();
        CoreScript core = former.anotherExecutor().owns();
        core.delivers("a0");
        core.logEnds(1);

        core.passes(3 * CoreScript.SETTINGS.leaseMillis());

        assertThat(core.lastSent(StoreRequest.Acquire.class).cut()).isEqualTo(1);
        assertThat(core.store().incarnation()).isEqualTo(1);
        assertThat(core.store().blocked()).isEmpty();
    }

    @Test
    void keyWaitsForARecordThatTheLogHas() {
        CoreScript former = CoreScript.log().owns();
        former.delivers("a0", "b1");
        former.dies();
        CoreScript core = former.anotherExecutor().owns();
        core.logEnds(2);

        core.passes(3 * CoreScript.SETTINGS.leaseMillis());

        assertThat(core.store().incarnation()).isZero();
        assertThat(core.store().blocked()).isNotEmpty();
    }

    @Test
    void cutThatIsNoticedWithoutTheStoreIsToldAtTheNextAcquire() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0", "b1");
        core.succeeds("b1");
        core.connectionBreaks();
        core.cut(1);
        core.connects();

        core.delivers("a0", "d1");
        assertThat(core.running()).contains("d1");
    }
}
