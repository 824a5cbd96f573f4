package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskState;
import dev.tandem.task.UnhandledSince;
import org.junit.jupiter.api.Test;

/** Examples of the core: a task whose executor has no handler for it is tried again, and its key waits. */
class UnhandledTest {

    private static final long SINCE = 1_700_000_000_000L;

    @Test
    void itsKeyWaitsAndTheNextTryIsTheSameAttempt() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1", "x2");

        core.isUnhandled("k0", SINCE, 1_000);

        assertThat(core.running()).containsExactly("x2");
        assertThat(core.store().state(at(0))).isEqualTo(TaskState.RETRY);
        assertThat(core.store().lane("k")).containsExactly(at(1));

        core.passes(1_000);
        assertThat(core.run("k0").attempt()).isEqualTo(1);
        assertThat(UnhandledSince.of(core.run("k0").task())).isEqualTo(SINCE);
        assertThat(UnhandledSince.nextTry(core.run("k0").task())).isEqualTo(SINCE + 1_000);

        core.succeeds("k0");
        assertThat(core.running()).contains("k1");
    }

    @Test
    void attemptsBeforeStayCountedAndAFailedAttemptForgetsTheTime() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.fails("k0", 1_000);
        core.passes(1_000);

        core.isUnhandled("k0", SINCE, 1_000);
        core.passes(1_000);
        assertThat(core.run("k0").attempt()).isEqualTo(2);

        core.fails("k0", 1_000);
        core.passes(1_000);
        assertThat(core.run("k0").attempt()).isEqualTo(3);
        assertThat(UnhandledSince.of(core.run("k0").task())).isEqualTo(UnhandledSince.NEVER);
    }

    @Test
    void aNewConnectionKeepsTheTime() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1");
        core.isUnhandled("k0", SINCE, 5_000);

        core.connectionBreaks();
        core.connects();
        core.passes(5_000);

        assertThat(core.running()).containsExactly("k0");
        assertThat(core.run("k0").attempt()).isEqualTo(1);
        assertThat(UnhandledSince.of(core.run("k0").task())).isEqualTo(SINCE);
    }
}
