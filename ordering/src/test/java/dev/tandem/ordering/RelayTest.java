package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Examples of the core: a key's next task starts at once, under the claim of the one before it. */
class RelayTest {

    @Test
    void aRelayedTaskStartsBeforeItsPredecessorIsRecorded() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1");
        core.storeStalls();

        core.succeeds("k0");

        assertThat(core.running()).containsExactly("k1");
        assertThat(core.store().isSettled(0)).isFalse();

        // The outcome of k0 brings the claim of k1.
        core.storeAnswers();
        assertThat(core.store().isSettled(0)).isTrue();
        assertThat(core.store().claim(at(1)).token()).isEqualTo(core.run("k1").token());
    }

    @Test
    void aTaskThatTheStoreMayNotKnowOfIsNotRelayed() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.storeStalls();

        // Nothing was answered since k1 came, so a next owner would not know that it may have begun.
        core.delivers("k1");
        core.succeeds("k0");
        assertThat(core.running()).isEmpty();

        core.storeAnswers();
        assertThat(core.running()).containsExactly("k1");
    }
}
