package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Examples of the core: a log lost its last records, and others have their offsets now. */
class CutLogTest {

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
    void newLeaderOfAnUncutLogChangesNothing() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0", "b1");
        core.cut(2);
        core.delivers("c2");

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
