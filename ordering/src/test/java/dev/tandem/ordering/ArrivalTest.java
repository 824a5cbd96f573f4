package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Examples of the core: it reports the arrival of tasks with deduplication keys that are to run. */
class ArrivalTest {

    @Test
    void tasksWithDeduplicationKeysAreReportedInTheirOrderWhetherDueOrNot() {
        CoreScript core = CoreScript.log().owns();
        core.deliversDelayed("dup0", 60_000);
        core.delivers("a1", "dup2", "dupb3");
        assertThat(core.arrivals()).containsExactly("dup0?", "dup2?", "dupb3?");
    }

    @Test
    void whatIsSettledIsNotReportedWhenItComesAgain() {
        CoreScript former = CoreScript.log().owns();
        former.delivers("dup0", "dup1", "dup2");
        former.succeeds("dup0");
        former.dies();
        former.passes(SETTINGS.leaseMillis());

        CoreScript core = former.anotherExecutor().owns();
        core.delivers("dup0", "dup1", "dup2");

        assertThat(core.arrivals()).contains("dup2?").doesNotContain("dup0?");
    }

    @Test
    void anUnreadableTaskIsNotReported() {
        CoreScript core = CoreScript.log().owns();
        core.deliversUnreadable("dup0");
        assertThat(core.arrivals()).isEmpty();
    }

    @Test
    void aMessageIsSurelyNewUnlessItsBrokerDeliveredItBefore() {
        CoreScript core = CoreScript.queue().owns();
        core.delivers("dup0");
        core.redelivers("dupb1");
        assertThat(core.arrivals()).containsExactly("dup0", "dupb1?");
    }
}
