package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.SETTINGS;
import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.StoreRequest.Acquire;
import dev.tandem.task.store.StoreRequest.SettleLate;
import org.junit.jupiter.api.Test;

/** Examples of the core: after a break the owner acquires again, presents its claims, and sends again what may be lost. */
class LostConnectionTest {

    @Test
    void aLostConnectionSendsUnansweredOutcomesAgain() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.storeStalls();
        core.succeeds("k0");

        core.connectionBreaks();
        core.storeAnswers();
        core.connects();

        assertThat(core.sent(Acquire.class)).hasSize(2);
        assertThat(core.store().succeeded()).isEqualTo(1);
        assertThat(core.committed()).isEqualTo(1);
    }

    @Test
    void anOutcomeWhoseAnswerGotLostCountsOnce() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.storeStalls();
        core.succeeds("k0");

        core.answersGetLost();
        core.storeAnswers();
        core.connects();

        assertThat(core.store().succeeded()).isEqualTo(1);
        assertThat(core.committed()).isEqualTo(1);
        assertThat(core.running()).isEmpty();
    }

    @Test
    void aRunGoesOnOverALostConnection() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        Run run = core.run("k0");

        core.connectionBreaks();
        core.connects();
        core.passes(2 * SETTINGS.leaseMillis());

        assertThat(core.sent(Acquire.class).get(1).presented())
                .singleElement()
                .satisfies(presented -> assertThat(presented.token()).isEqualTo(run.token()));
        assertThat(core.run("k0")).isSameAs(run);
        assertThat(core.mayBegin("k0")).isTrue();
    }

    /** The outcome of k0 brings the claim of k1, which nobody would end if that of k1 had come before. */
    @Test
    void lateOutcomesOfAKeyAreSentAgainInTheirOrder() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1");
        core.storeStalls();
        core.succeeds("k0");
        core.lost();
        assertThat(core.sent(SettleLate.class)).hasSize(1);

        core.connectionBreaksAtSuccessOf("k1");
        core.storeAnswers();
        core.connects();

        assertThat(core.sent(SettleLate.class))
                .extracting(late -> late.settle().position())
                .containsExactly(at(0), at(0), at(1));
        assertThat(core.store().isSettled(1)).isTrue();
        assertThat(core.store().claim(at(1))).isNull();
    }

    @Test
    void aGapMakesTheOwnerAcquireAgain() {
        CoreScript core = CoreScript.log().owns();

        core.storeForgets(() -> core.delivers("k0"));
        assertThat(core.store().claim(at(0))).isNull();
        core.delivers("x1");

        assertThat(core.sent(Acquire.class)).hasSize(2);
        assertThat(core.store().claim(at(0)).token()).isEqualTo(core.run("k0").token());
        assertThat(core.running()).containsExactly("k0", "x1");
    }
}
