package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.StoreModel.Flaw;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A simulation that notices nothing proves nothing: each rule that is broken on purpose must make it fail. Rules that
 * only queues have are broken by {@link QueueSimulationTest} and {@link SharedQueueSimulationTest}.
 */
class MutantsTest {

    /** Always the same histories: what catches a mutant today catches it tomorrow. */
    private static final long FROM = 1;

    private static final int HISTORIES = 20_000;

    @ParameterizedTest
    @EnumSource(names = {"COMMIT_ONLY_DURABLE", "PARK_FOLLOWERS", "HEED_LOST", "OFFER_BEHIND_RELAYS"})
    void aCoreThatBreaksARuleIsCaught(Rule rule) throws InterruptedException {
        assertThat(SimulationTest.hunt(FROM, HISTORIES, Set.of(rule), Set.of(), false))
                .as("a history that breaks a guarantee without %s", rule)
                .isNotNull();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "KEEP_OWED")
    void aStoreThatBreaksARuleIsCaught(Flaw flaw) throws InterruptedException {
        assertThat(SimulationTest.hunt(FROM, HISTORIES, Set.of(), Set.of(flaw), false))
                .as("a history that breaks a guarantee with a store that does %s", flaw)
                .isNotNull();
    }
}
