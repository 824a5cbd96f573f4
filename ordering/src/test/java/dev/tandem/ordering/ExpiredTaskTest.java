package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.SuccessRecord;
import dev.tandem.task.store.TaskEnd;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Examples of the core: tasks whose time is over end like successes, and are kept as what they are. */
class ExpiredTaskTest {

    private static SuccessRecord last(CoreScript core) {
        List<SuccessRecord> kept =
                core.store().successes().stream().map(each -> each.success()).toList();
        return kept.get(kept.size() - 1);
    }

    @Test
    void theKeyOfATaskThatExpiredGoesOn() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1");

        core.expires("k0");

        assertThat(core.running()).containsExactly("k1");
        assertThat(core.store().blocked()).isEmpty();
        assertThat(core.store().dead()).isEmpty();
        assertThat(core.committed()).isEqualTo(1);
        assertThat(last(core).end()).isEqualTo(TaskEnd.EXPIRED);
        assertThat(last(core).attempt()).as("attempts that were made").isZero();
    }

    @Test
    void theKeyOfAHeadThatExpiresBeforeItsNextAttemptGoesOn() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1");
        core.fails("k0", 1_000);
        core.passes(1_000);

        core.expires("k0");

        assertThat(core.running()).containsExactly("k1");
        assertThat(core.store().holds(at(0))).isFalse();
        assertThat(last(core).attempt()).isEqualTo(1);
    }

    @Test
    void theLastAttemptOfATaskThatExpiresBehindItIsKept() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.run("k0").recordTiming(7, 3);

        core.expiresBehind("k0", "busy");

        assertThat(last(core).attempt()).isEqualTo(1);
        assertThat(last(core).attempts()).contains("busy");
        assertThat(core.running()).isEmpty();
    }
}
