package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds of permits, whatever happens to executors, requests and answers. */
class PermitSimulationTest {

    private static final int HISTORIES = Integer.getInteger("permits.histories", 75);

    @Test
    void neverMoreRunsThanPermitsAndNoneIsLost() {
        for (long seed = 1; seed <= HISTORIES; seed++) {
            try {
                new PermitSimulation(seed).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("The history of seed " + seed + " is wrong", e);
            }
        }
    }

    /** Also with fewer permits than executors, which take turns. */
    @ParameterizedTest
    @CsvSource({"1, 2, 20", "2, 3, 20", "3, 2, 20", "4, 4, 20", "5, 2, 200"})
    void nearlyAllPermitsAreUsedWhileTasksWait(long seed, int executors, int millis) {
        PermitSimulation simulation = new PermitSimulation(seed);
        assertThat(simulation.utilisation(executors, millis))
                .as("of %s permits and %s executors", simulation.max(), executors)
                .isGreaterThan(0.95);
    }
}
