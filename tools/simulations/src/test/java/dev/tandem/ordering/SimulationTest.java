package dev.tandem.ordering;

import org.junit.jupiter.api.Test;

/** Simulates logs (Kafka). {@link Histories} says which histories run, and how to run one again. */
class SimulationTest {

    @Test
    void everyHistoryKeepsTheGuarantees() throws InterruptedException {
        Histories.of(HistoryKind.LOG).check(BehaviourDigests.of("log"));
    }

    @Test
    void cancelledTasksKeepThemTooAndDoNotRun() throws InterruptedException {
        Histories.of(HistoryKind.LOG_WITH_CANCELS).check(BehaviourDigests.none());
    }

    @Test
    void aStoreWhoseMemoryIsFullAtTimesKeepsThemToo() throws InterruptedException {
        Histories.of(HistoryKind.LOG_WITH_FULL_STORE).check(BehaviourDigests.none());
    }

    @Test
    void unknownTypesKeepThemTooAndSpendNoAttempt() throws InterruptedException {
        Histories.of(HistoryKind.LOG_WITH_UNKNOWN_TYPES).check(BehaviourDigests.none());
    }

    @Test
    void burstsOfTenantsThatAreLargerThanMemoryKeepThemToo() throws InterruptedException {
        Histories.of(HistoryKind.LOG_WITH_TENANTS).check(BehaviourDigests.none());
    }

    @Test
    void logsThatAreCutKeepThemToo() throws InterruptedException {
        Histories.of(HistoryKind.CUT_LOG).check(BehaviourDigests.none());
    }
}
