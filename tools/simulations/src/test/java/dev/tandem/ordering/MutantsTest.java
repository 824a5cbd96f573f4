package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.StoreModel.Flaw;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Proves that the simulation notices broken rules: each core and each store that breaks one on purpose must fail.
 * {@link QueueSimulationTest} and {@link SharedQueueSimulationTest} do the same for the rules of queues.
 */
class MutantsTest {

    /** The same histories in every run: a mutant that is caught once is always caught. */
    static final long FROM = 1;

    static final int HISTORIES = 60_000;

    /** Those that few histories show are hunted from shortly before the first one that does, which takes less time. */
    private static final Map<Enum<?>, Long> FROM_LATER = Map.ofEntries(
            Map.entry(CoreMutant.OFFER_BEFORE_REDELIVERIES, 1_350L),
            Map.entry(CoreMutant.FORGET_WHAT_A_ROW_BEGAN, 1_050L),
            Map.entry(CoreMutant.SETTLE_BY_FORMER_OFFSET, 580L),
            Map.entry(CoreMutant.READ_BEFORE_TENANT, 36_600L),
            Map.entry(CoreMutant.RELAY_BEHIND_CANCELLED, 1_490L),
            Map.entry(CoreMutant.CANCEL_BEGUN, 930L),
            Map.entry(CoreMutant.JOIN_LINE_BEHIND_OTHERS, 790L),
            Map.entry(CoreMutant.DECLINE_DELIVERIES, 250L),
            Map.entry(CoreMutant.IGNORE_GAP, 170L),
            Map.entry(CoreMutant.CLAIM_WHILE_QUIET, 110L),
            Map.entry(Flaw.SETTLE_WITHOUT_TOKEN, 970L),
            Map.entry(Flaw.HIDE_GAP, 170L));

    @ParameterizedTest
    @EnumSource
    void everyMutantCompiles(CoreMutant mutant) throws Exception {
        assertThat(mutant.classes()).isNotEmpty();
    }

    /** Shows that a mutant is caught for its change, not because it is loaded apart from the tests. */
    @Test
    void theUnchangedCoreIsNotCaught() throws Exception {
        assertThat(CoreMutant.hunt(Map.of(), HistoryKind.LOG, FROM, 100)).isNull();
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "COMMIT_EARLY",
                "DROP_FOLLOWERS",
                "IGNORE_GAP",
                "OFFER_BEFORE_REDELIVERIES",
                "CLAIM_DUE_OF_BUSY_KEYS",
                "CLAIM_WHILE_QUIET",
                "COMMIT_PASSED_OVER",
                "OVERTAKE_PASSED_OVER",
                "SKIP_STALLED",
                "DECLINE_DELIVERIES",
                "GO_ON_WITH_STOPPED_ROW",
                "FORGET_WHAT_A_ROW_BEGAN"
            })
    void aCoreThatBreaksARuleIsCaught(CoreMutant mutant) throws Exception {
        assertIsCaught(mutant, HistoryKind.LOG);
    }

    /** Takes minutes, since one history in some ten thousand shows what these break. */
    @ParameterizedTest
    @EnumSource(names = {"START_WHILE_DUE_IS_CLAIMED", "FORGET_AWAITED_HEADS"})
    @EnabledIfSystemProperty(named = "simulation.mutants", matches = "all")
    void aCoreThatSeldomBreaksARuleIsCaught(CoreMutant mutant) throws Exception {
        assertIsCaught(mutant, HistoryKind.LOG);
    }

    @ParameterizedTest
    @EnumSource(names = {"FORGET_CUT", "SETTLE_BY_FORMER_OFFSET"})
    void aCoreThatForgetsACutIsCaught(CoreMutant mutant) throws Exception {
        assertIsCaught(mutant, HistoryKind.CUT_LOG);
    }

    @ParameterizedTest
    @EnumSource(names = {"SPEND_ATTEMPT_WITHOUT_HANDLER", "SPEND_SNOOZED_ATTEMPT", "FORGET_FIRST_TRY"})
    void aCoreThatBreaksTheGraceOfUnknownTypesIsCaught(CoreMutant mutant) throws Exception {
        assertIsCaught(mutant, HistoryKind.LOG_WITH_UNKNOWN_TYPES);
    }

    @Test
    void aCoreThatLetsTasksOvertakeABurstIsCaught() throws Exception {
        assertIsCaught(CoreMutant.OVERTAKE_BURST, HistoryKind.LOG_WITH_TENANTS);
    }

    /** May take minutes: one history in some twenty thousand shows it, since a record must wait for its key and its tenant. */
    @Test
    @EnabledIfSystemProperty(named = "simulation.mutants", matches = "all")
    void aCoreThatReadsAgainBeforeTheTenantIsCaught() throws Exception {
        assertIsCaught(CoreMutant.READ_BEFORE_TENANT, HistoryKind.LOG_WITH_TENANTS);
    }

    @Test
    void aCoreThatGoesOnBehindACancelledTaskTooEarlyIsCaught() throws Exception {
        assertIsCaught(CoreMutant.RELAY_BEHIND_CANCELLED, HistoryKind.LOG_WITH_CANCELS);
    }

    @Test
    void aCoreThatCancelsATaskThatHasBegunIsCaught() throws Exception {
        assertIsCaught(CoreMutant.CANCEL_BEGUN, HistoryKind.QUEUE_WITH_CANCELS);
    }

    @Test
    void aCoreThatNeedsMoreThanTheStoreHasIsCaught() throws Exception {
        assertIsCaught(CoreMutant.CLAIM_WITHOUT_ROOM, HistoryKind.LOG_WITH_FULL_STORE);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"KEEP_AWAITING", "REUSE_NUMBER"})
    void aStoreThatBreaksARuleIsCaught(Flaw flaw) throws InterruptedException {
        assertIsCaught(flaw);
    }

    /** Takes most of a minute. */
    @Test
    @EnabledIfSystemProperty(named = "simulation.mutants", matches = "all")
    void aStoreThatSeldomBreaksARuleIsCaught() throws InterruptedException {
        assertIsCaught(Flaw.REUSE_NUMBER);
    }

    private static void assertIsCaught(Flaw flaw) throws InterruptedException {
        assertThat(Histories.of(HistoryKind.LOG).with(flaw).hunt(FROM_LATER.getOrDefault(flaw, FROM), HISTORIES))
                .as("a history that breaks a guarantee with a store that does %s", flaw)
                .isNotNull();
    }

    static void assertIsCaught(CoreMutant mutant, HistoryKind kind) throws Exception {
        assertThat(mutant.hunt(kind, FROM_LATER.getOrDefault(mutant, FROM), HISTORIES))
                .as("a %s history that breaks a guarantee with the mutant %s", kind, mutant)
                .isNotNull();
    }
}
