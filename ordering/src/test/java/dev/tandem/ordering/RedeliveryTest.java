package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.QueuePolicy;
import dev.tandem.task.store.StoreRequest.ForwardRedeliveries;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Examples of the core with a message queue: messages are acked one by one, and recognised when they come again. */
class RedeliveryTest {

    private static final long UNTIL_DURABLE = SETTINGS.horizonMillis() + SETTINGS.probeMillis();

    @Test
    void eachMessageIsAckedWhenItIsSettled() {
        CoreScript core = CoreScript.queue().owns();
        core.delivers("a0", "b1", "c2");

        core.succeeds("c2");
        core.succeeds("a0");

        assertThat(core.acked()).containsExactly("c2", "a0");
    }

    @Test
    void aTaskThatRunsAloneForLongIsAckedBeforeTheBrokerLosesPatience() {
        long patience = 20_000;
        for (QueuePolicy policy : List.of(QueuePolicy.ordered(4), QueuePolicy.unordered(4))) {
            CoreScript core = CoreScript.queue(policy).mayStayUnacked(patience).owns();
            core.delivers("k0");

            core.passes(patience / 2 - 1_000);
            assertThat(core.acked()).isEmpty();
            core.passes(patience / 2);

            assertThat(core.acked()).containsExactly("k0");
            assertThat(core.running()).containsExactly("k0");
            core.succeeds("k0");
            assertThat(core.store().inStore()).isEmpty();
        }
    }

    @Test
    void aRedeliveredMessageIsRecognised() {
        CoreScript former = CoreScript.queue().owns();
        former.delivers("k0");
        former.dies();

        CoreScript core = ownerAfterALease(former);
        core.redelivers("k0");

        assertThat(core.running()).containsExactly("k0");
        assertThat(core.run("k0").attempt()).isEqualTo(2);
    }

    @Test
    void aSettledRedeliveryIsAckedWithoutARun() {
        CoreScript former = CoreScript.queue().owns();
        former.delivers("k0");
        former.succeeds("k0");
        former.dies();

        CoreScript core = ownerAfterALease(former);
        core.redelivers("k0");
        core.passes(UNTIL_DURABLE);

        assertThat(core.running()).isEmpty();
        assertThat(core.acked()).containsExactly("k0");
    }

    @Test
    void aKeyWaitsForTheRedeliveryOfItsHead() {
        CoreScript former = CoreScript.queue().owns();
        former.delivers("k0");
        former.dies();

        CoreScript core = ownerAfterALease(former);
        core.delivers("k1", "x2");
        assertThat(core.running()).containsExactly("x2");

        core.redelivers("k0");
        assertThat(core.running()).containsExactly("x2", "k0");
        core.succeeds("k0");
        assertThat(core.running()).containsExactly("x2", "k1");
    }

    @Test
    void aKeyGoesOnWhenItsHeadIsNotDeliveredAgain() {
        CoreScript former = CoreScript.queue().owns();
        former.delivers("k0");
        former.dies();

        CoreScript core = ownerAfterALease(former);
        core.delivers("k1");
        assertThat(core.running()).isEmpty();

        core.catchesUp();
        assertThat(core.running()).containsExactly("k1");
    }

    @Test
    void aRedeliveryOfAnUnorderedQueueIsForwardedToItsPartition() {
        CoreScript former = CoreScript.queue(QueuePolicy.unordered(4)).owns();
        former.delivers("0");
        former.fails("0", 60_000);
        former.dies();

        CoreScript core = former.anotherExecutorOf(CoreScript.OTHER_PARTITION).owns();
        core.knows(CoreScript.PARTITION);
        core.redelivers("0");
        core.passes(UNTIL_DURABLE);

        assertThat(core.lastSent(ForwardRedeliveries.class).partition()).isEqualTo(CoreScript.PARTITION);
        assertThat(core.running()).isEmpty();
        assertThat(core.acked()).containsExactly("0");
    }

    /**
     * The task goes on while its channel is lost. Its message is recognised only because the run's custody moves to the store
     * before the next channel is opened: without a message id, a claim of an owner who is well may be another message's.
     */
    @Test
    void aRunOfAnUnorderedQueueThatOutlivesItsChannelIsRecognisedWithoutAMessageId() {
        CoreScript core = CoreScript.queue(QueuePolicy.unordered(4));
        core.publishersGiveNoIds();
        core.owns().delivers("0");
        core.lost();

        core.assigned();
        core.redelivers("0");
        core.passes(3 * SETTINGS.leaseMillis());

        assertThat(core.running()).containsExactly("0");
        assertThat(core.acked()).containsExactly("0");
        core.succeeds("0");
        assertThat(core.store().inStore()).isEmpty();
    }

    /** A cluster whose nodes lose contact takes messages back without a word to their channel. */
    @Test
    void aMessageOfAnUnorderedQueueThatIsDeliveredAgainWhileItWaitsRunsOnce() {
        CoreScript core = CoreScript.queue(QueuePolicy.unordered(1)).owns();
        core.delivers("0", "1");

        core.redelivers("1");
        core.passes(SETTINGS.leaseMillis());
        core.succeeds("0");
        core.succeeds("1");
        core.passes(2 * UNTIL_DURABLE);

        assertThat(core.running()).isEmpty();
        assertThat(core.acked()).containsExactly("0", "1", "1");
    }

    @Test
    void theTaskOfADeadExecutorWaitsForOneLeaseOnly() {
        CoreScript former = CoreScript.queue(QueuePolicy.unordered(4)).owns();
        former.delivers("0");
        former.dies();

        // The store refuses while the dead executor's lease lasts. A refusal is an answer: the store is not silent.
        CoreScript core = former.anotherExecutor().owns();
        core.passes(SETTINGS.leaseMillis() + SETTINGS.retryMillis());
        core.redelivers("0");
        core.passes(SETTINGS.renewMillis());

        assertThat(core.running()).containsExactly("0");
        assertThat(core.run("0").attempt()).isEqualTo(2);
    }

    @Test
    void aSilenceOfTheStoreBeforeARefusalStillExtendsLeases() {
        CoreScript former = CoreScript.queue(QueuePolicy.unordered(4)).owns();
        former.delivers("0");
        former.dies();
        CoreScript core = former.anotherExecutor().owns();

        core.storeStalls();
        core.passes(SETTINGS.leaseMillis() - SETTINGS.renewMillis());
        core.storeAnswers();
        core.passes(SETTINGS.renewMillis() + SETTINGS.retryMillis());
        core.redelivers("0");
        core.passes(SETTINGS.renewMillis());
        assertThat(core.running()).isEmpty();

        core.passes(SETTINGS.leaseMillis());
        assertThat(core.running()).containsExactly("0");
    }

    /** Returns the next owner, when the leases of a dead one have run out. */
    private static CoreScript ownerAfterALease(CoreScript former) {
        former.passes(SETTINGS.leaseMillis());
        return former.anotherExecutor().owns();
    }
}
