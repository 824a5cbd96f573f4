package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Examples of the core: it says when the end of a run is recorded, of tasks that waited for others and if it is asked to. */
class RecordedEndTest {

    @Test
    void anEndIsSaidWhenTheStoreHasRecordedIt() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("dep0", "a1");
        long token = core.run("dep0").token();
        core.storeStalls();
        core.succeeds("dep0");
        core.succeeds("a1");
        assertThat(core.recordedEnds()).isEmpty();

        core.storeAnswers();
        assertThat(core.recordedEnds()).as("the other task waited for none").containsExactly(token);
    }

    @Test
    void anEndIsSaidOfARunThatAskedForIt() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0", "b1");
        Run asking = core.run("a0");
        asking.reportEnd();

        core.fails("a0", 1_000);
        core.succeeds("b1");

        assertThat(core.recordedEnds()).containsExactly(asking.token());
        assertThat(core.refusedEnds()).isEmpty();
    }

    @Test
    void aRefusedEndIsSaidToo() {
        CoreScript former = CoreScript.log().owns();
        former.delivers("a0", "b1");
        Run asking = former.run("a0");
        asking.reportEnd();
        former.storeStalls();
        former.passes(2 * SETTINGS.leaseMillis());
        CoreScript core = former.anotherExecutor().owns();
        core.delivers("a0", "b1");

        former.succeeds("a0");
        former.succeeds("b1");
        former.storeAnswers();

        assertThat(former.refusedEnds()).containsExactly(asking.token());
        assertThat(former.recordedEnds()).isEmpty();
    }

    @Test
    void anEndIsNotSaidIfAnotherExecutorHasBegunTheTaskAgain() {
        CoreScript former = CoreScript.log().owns();
        former.delivers("dep0");
        former.storeStalls();
        former.passes(2 * SETTINGS.leaseMillis());
        CoreScript core = former.anotherExecutor().owns();
        core.delivers("dep0");
        assertThat(core.running()).containsExactly("dep0");

        former.succeeds("dep0");
        former.storeAnswers();

        assertThat(former.recordedEnds()).isEmpty();
    }

    @Test
    void anEndIsSaidThoughThePartitionWasLostMeanwhile() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("dep0");
        long token = core.run("dep0").token();
        core.lost();

        core.succeeds("dep0");

        assertThat(core.recordedEnds()).containsExactly(token);
    }

    @Test
    void anEndIsSaidOnceIfTheFirstAnswerGotLost() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("dep0");
        long token = core.run("dep0").token();
        core.storeStalls();
        core.succeeds("dep0");
        core.answersGetLost();
        assertThat(core.recordedEnds()).isEmpty();

        core.storeAnswers();
        core.connects();

        assertThat(core.recordedEnds()).containsExactly(token);
    }

    @Test
    void anEndIsSaidAfterATakeoverByAnExecutorThatWasThoughtDead() {
        CoreScript former = CoreScript.log().owns();
        former.delivers("dep0");
        former.storeStalls();
        former.passes(2 * SETTINGS.leaseMillis());
        CoreScript core = former.anotherExecutor().owns();
        core.delivers("dep0");
        long token = core.run("dep0").token();

        former.succeeds("dep0");
        former.storeAnswers();
        core.succeeds("dep0");

        assertThat(former.recordedEnds()).isEmpty();
        assertThat(core.recordedEnds())
                .as("the former owner has the partition again, so the end is recorded by its token")
                .containsExactly(token);
    }
}
