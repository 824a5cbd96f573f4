package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import org.junit.jupiter.api.Test;

/** Examples of the core: a failed task blocks its key, whose other tasks are parked behind it in the store. */
class RetryAndParkingTest {

    @Test
    void aRetryParksItsFollowers() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1", "k2");

        core.fails("k0", 60_000);

        assertThat(core.running()).isEmpty();
        assertThat(core.store().state(at(0))).isEqualTo(TaskState.RETRY);
        assertThat(core.store().lane("k")).containsExactly(at(1), at(2));
    }

    @Test
    void aDueRetryRunsAndItsFollowersAfterIt() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1", "k2");
        core.fails("k0", 5_000);

        core.passes(4_000);
        assertThat(core.running()).isEmpty();

        core.passes(1_000);
        assertThat(core.running()).containsExactly("k0");
        assertThat(core.run("k0").attempt()).isEqualTo(2);

        core.succeeds("k0");
        assertThat(core.running()).containsExactly("k1");
    }

    @Test
    void otherKeysGoOnWhileOneIsBlocked() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "x1");
        core.fails("k0", 60_000);

        core.delivers("k2", "x3");
        core.succeeds("x1");

        assertThat(core.running()).containsExactly("x3");
        assertThat(core.store().lane("k")).containsExactly(at(2));
    }

    @Test
    void aDeadHeadHaltsItsKey() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(4).withDeadHead(DeadHead.HALT))
                .owns();
        core.delivers("k0", "k1");

        core.dies("k0");

        assertThat(core.running()).isEmpty();
        assertThat(core.store().blocked("k").reason()).isEqualTo(BlockReason.HALTED);
        assertThat(core.store().lane("k")).containsExactly(at(1));
    }

    @Test
    void aHaltedKeyIsReportedOnceItsStoreHasRecordedIt() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(4).withDeadHead(DeadHead.HALT))
                .owns();
        core.delivers("k0", "k1", "x2");
        core.fails("k0", 1_000);
        core.succeeds("x2");
        assertThat(core.halted()).as("a key that waits for a retry").isEmpty();
        core.passes(1_000);

        core.storeStalls();
        core.dies("k0");
        assertThat(core.halted()).as("before the store has answered").isEmpty();
        core.storeAnswers();

        assertThat(core.halted()).singleElement().satisfies(event -> {
            assertThat(event.key()).isEqualTo("k");
            assertThat(event.head()).isEqualTo(at(0));
            assertThat(Envelope.decode("orders", event.envelope()).error()).isEqualTo("never");
        });
    }

    @Test
    void aDeadHeadIsSkippedIfThePolicySaysSo() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(4).withDeadHead(DeadHead.SKIP))
                .owns();
        core.delivers("k0", "k1");

        core.dies("k0");

        assertThat(core.halted()).isEmpty();
        assertThat(core.store().dead()).containsExactly(at(0));
        assertThat(core.running()).containsExactly("k1");
    }

    @Test
    void aDelayedTaskIsScheduledNotRun() {
        CoreScript core = CoreScript.log().owns();

        core.deliversDelayed("k0", 5_000);
        core.delivers("k1");
        assertThat(core.running()).containsExactly("k1");
        assertThat(core.store().state(at(0))).isEqualTo(TaskState.SCHEDULED);

        core.succeeds("k1");
        core.passes(5_000);
        assertThat(core.running()).containsExactly("k0");
    }

    @Test
    void anUnreadableMessageIsBuried() {
        CoreScript core = CoreScript.log().owns();

        core.deliversUnreadable("k0");
        core.delivers("k1");

        assertThat(core.store().dead()).containsExactly(at(0));
        assertThat(core.running()).containsExactly("k1");
    }

    @Test
    void theMessagesOfAFullLaneWaitInMemoryUntilThatIsFull() {
        QueuePolicy oneParked = new QueuePolicy(true, 4, DeadHead.HALT, 4, 1 << 20, 1, 100, 100);
        CoreScript core = CoreScript.queue(oneParked).owns();
        core.delivers("k0", "k1", "k2");

        core.fails("k0", 5_000);
        assertThat(core.store().lane("k")).hasSize(1);
        core.delivers("x3");
        assertThat(core.running()).containsExactly("x3");
        assertThat(core.isPaused()).isFalse();

        core.delivers("k4", "k5");
        assertThat(core.isPaused()).isTrue();

        core.passes(5_000);
        core.succeeds("k0");
        core.succeeds("k1");
        core.passes(CoreScript.SETTINGS.retryMillis());
        assertThat(core.isPaused()).isFalse();
    }

    @Test
    void parkedTasksDoNotHoldBackTheCommit() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1", "k2");
        core.fails("k0", 60_000);

        core.passes(CoreScript.SETTINGS.horizonMillis() + CoreScript.SETTINGS.probeMillis());

        assertThat(core.committed()).isEqualTo(3);
    }
}
