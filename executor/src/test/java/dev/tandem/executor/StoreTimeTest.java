package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** At which time here the store answered. */
class StoreTimeTest {

    private static final long MILLI = 1_000_000;

    private final StoreTime time = new StoreTime();

    @Test
    void anAnswerThatComesLateDoesNotCountAsGivenLate() {
        assertThat(time.answered(0, 2 * MILLI, 500_001_000)).isEqualTo(2 * MILLI);
        // It answered 10 ms later by its own clock, and the answer needed 200 ms.
        assertThat(time.answered(11 * MILLI, 212 * MILLI, 500_011_000)).isBetween(12 * MILLI, 13 * MILLI);
    }

    @Test
    void aQuickerAnswerTellsMore() {
        assertThat(time.answered(0, 50 * MILLI, 500_000_000)).isEqualTo(50 * MILLI);
        assertThat(time.answered(60 * MILLI, 61 * MILLI, 500_060_000)).isEqualTo(61 * MILLI);
        assertThat(time.answered(70 * MILLI, 99 * MILLI, 500_070_000)).isBetween(71 * MILLI, 72 * MILLI);
    }

    @Test
    void aClockThatWasSetIsLearnedAnew() {
        assertThat(time.answered(0, MILLI, 500_000_000)).isEqualTo(MILLI);
        assertThat(time.answered(10 * MILLI, 11 * MILLI, 400_000_000)).isEqualTo(11 * MILLI);
        assertThat(time.answered(20 * MILLI, 29 * MILLI, 400_010_000)).isBetween(21 * MILLI, 22 * MILLI);
    }
}
