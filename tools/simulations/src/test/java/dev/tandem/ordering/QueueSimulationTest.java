package dev.tandem.ordering;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Simulates message queues with ordered sub-queues (RabbitMQ). */
class QueueSimulationTest {

    @Test
    void cancelledTasksKeepThemTooAndDoNotRun() throws InterruptedException {
        Histories.of(HistoryKind.QUEUE_WITH_CANCELS).check(BehaviourDigests.none());
    }

    @Test
    void burstsOfTenantsThatWaitInLinesKeepThemToo() throws InterruptedException {
        Histories.of(HistoryKind.QUEUE_WITH_TENANTS).check(BehaviourDigests.none());
    }

    @Test
    void everyHistoryKeepsTheGuarantees() throws InterruptedException {
        Histories.of(HistoryKind.QUEUE).check(BehaviourDigests.of("queue"));
    }

    @Test
    void aTaskThatJoinsALineBehindOthersOfItsKeyIsNoticed() throws Exception {
        MutantsTest.assertIsCaught(CoreMutant.JOIN_LINE_BEHIND_OTHERS, HistoryKind.QUEUE_WITH_TENANTS);
    }

    @ParameterizedTest
    @EnumSource(names = {"COMMIT_EARLY", "FIND_UNNAMED_ON_PAGES", "MATCH_TWICE", "DROP_PAGES_EARLY"})
    void aBrokenRuleIsNoticed(CoreMutant mutant) throws Exception {
        MutantsTest.assertIsCaught(mutant, HistoryKind.QUEUE);
    }
}
