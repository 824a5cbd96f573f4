package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.QueuePolicy;
import java.util.stream.IntStream;
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

    @Test
    void anotherKeyTakesTheSlotAfterSixteenRelays() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(1)).owns();
        core.delivers(IntStream.range(0, 18).mapToObj(i -> "k" + i).toArray(String[]::new));
        core.delivers("x18");

        for (int i = 0; i <= 16; i++) {
            core.succeeds("k" + i);
        }

        assertThat(core.running()).containsExactly("x18");
    }

    @Test
    void atMostThirtyTwoOutcomesOfAKeyAreUnansweredWhileItsTasksAreRelayed() {
        CoreScript core = CoreScript.log().owns();
        core.delivers(IntStream.range(0, 34).mapToObj(i -> "k" + i).toArray(String[]::new));
        core.storeStalls();

        for (int i = 0; i < 32; i++) {
            core.succeeds("k" + i);
        }
        assertThat(core.running()).containsExactly("k32");
        core.succeeds("k32");
        assertThat(core.running()).isEmpty();

        core.storeAnswers();
        assertThat(core.running()).containsExactly("k33");
    }
}
