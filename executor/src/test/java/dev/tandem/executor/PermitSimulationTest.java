package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks what must hold of permits, whatever happens to executors, requests and answers. */
class PermitSimulationTest {

    private static final int HISTORIES = Integer.getInteger("permits.histories", 75);

    @Test
    void neverMoreRunsThanPermitsAndNoneIsLost() {
        for (long seed = 1; seed <= HISTORIES; seed++) {
            try {
                new PermitSimulation(new Random(seed)).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("The history of seed " + seed + " is wrong", e);
            }
        }
    }

    /**
     * Without ageing, others take each permit of one limit while there is none of the other. With fewer permits than executors, a
     * permit that is set aside is missed more.
     */
    @ParameterizedTest
    @CsvSource({"1, 1, 1, 50, 0.95", "2, 2, 1, 50, 0.6", "3, 2, 3, 50, 0.9", "4, 1, 4, 400, 0.95", "5, 3, 2, 400, 0.7"})
    void tasksOfSeveralLimitsBeginInTimeAndPermitsAreUsed(
            long seed, int executors, int max, int longestTask, double leastUse) {
        PermitSimulation simulation = new PermitSimulation(seed, max);
        simulation.runTwoLimits(executors, longestTask);

        // The turns of all executors, and their tasks, for each limit; and lost messages.
        long turns = 4L * executors * (600 + longestTask);
        assertThat(simulation.longestWait()).isBetween(1L, LongWaits.OLD_MILLIS + turns);
        assertThat(simulation.used()).isGreaterThan(leastUse);
    }

    /** Also with fewer permits than executors, which take turns: a turn that a message is lost of, takes half a second more. */
    @ParameterizedTest
    @CsvSource({
        "10, 2, 20, true, 0.99",
        "5, 3, 2, true, 0.85",
        "10, 2, 200, true, 0.99",
        "1, 2, 20, false, 0.98",
        "2, 3, 2, false, 0.98",
        "3, 6, 200, false, 0.98",
        "1, 4, 20, true, 0.6",
        "2, 3, 20, true, 0.6"
    })
    void nearlyAllPermitsAreUsedWhileTasksWait(int permits, int executors, int millis, boolean losses, double least) {
        for (long seed = 1; seed <= 3; seed++) {
            double used = new PermitSimulation(new Random(seed), permits, losses).utilisation(executors, millis);
            assertThat(used)
                    .as("of %s permits and %s executors, seed %s", permits, executors, seed)
                    .isGreaterThan(least);
        }
    }
}
