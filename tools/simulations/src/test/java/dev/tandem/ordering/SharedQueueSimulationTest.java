package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.StoreModel.Flaw;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Simulates unordered message queues: several partitions and processes compete for the messages of one queue, and a
 * message may be redelivered to any of them.
 */
class SharedQueueSimulationTest {

    @Test
    void cancelledTasksKeepThemTooAndDoNotRun() throws InterruptedException {
        Histories.of(HistoryKind.SHARED_QUEUE_WITH_CANCELS).check(BehaviourDigests.none());
    }

    @Test
    void burstsOfTenantsThatWaitInLinesKeepThemToo() throws InterruptedException {
        Histories.of(HistoryKind.SHARED_QUEUE_WITH_TENANTS).check(BehaviourDigests.none());
    }

    @Test
    void everyHistoryKeepsTheGuarantees() throws InterruptedException {
        Histories.of(HistoryKind.SHARED_QUEUE).check(BehaviourDigests.of("shared-queue"));
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "COMMIT_EARLY",
                "FIND_UNNAMED_ON_PAGES",
                "MATCH_UNNAMED_BY_CLAIM",
                "MATCH_TWICE",
                "DROP_PAGES_EARLY",
                "ASK_NO_OTHER_PARTITION",
                "ACK_FORWARDED_EARLY"
            })
    void aBrokenRuleIsNoticed(CoreMutant mutant) throws Exception {
        MutantsTest.assertIsCaught(mutant, HistoryKind.SHARED_QUEUE);
    }

    @Test
    void aStoreThatKeepsARedeliveredPositionIsNoticed() throws InterruptedException {
        assertThat(Histories.of(HistoryKind.SHARED_QUEUE)
                        .with(Flaw.KEEP_AWAITING)
                        .hunt(MutantsTest.FROM, MutantsTest.HISTORIES))
                .isNotNull();
    }
}
