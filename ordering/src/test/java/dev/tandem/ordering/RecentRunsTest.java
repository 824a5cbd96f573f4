package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentRunsTest {

    private final RecentRuns recent = new RecentRuns();

    @Test
    void countsWhatEndedInThisSpanAndTheOneBefore() {
        recent.ended(1_000);
        recent.ended(1_124);
        recent.ended(1_125);
        assertThat(recent.count(1_249)).isEqualTo(3);
        assertThat(recent.count(1_250)).isEqualTo(1);
        assertThat(recent.count(1_375)).isZero();
    }

    @Test
    void forgetsWhatEndedLongAgo() {
        recent.ended(1_000);
        assertThat(recent.count(60_000)).isZero();
    }
}
