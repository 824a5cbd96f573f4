package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class RelayClockTest {

    private long nanos = 5_000_000_000L;
    private long wall = 1_000_000;
    private final RelayClock clock = new RelayClock(() -> nanos, () -> Instant.ofEpochMilli(wall));

    private void pass(long monotonicMillis, long wallMillis) {
        nanos += monotonicMillis * 1_000_000;
        wall += wallMillis;
    }

    @Test
    void countsAPauseOfTheMachineOnce() {
        pass(100, 100);
        assertThat(clock.millis()).isEqualTo(100);
        pass(0, 60_000);
        assertThat(clock.millis()).isEqualTo(60_100);
        pass(100, 100);
        assertThat(clock.millis()).isEqualTo(60_200);
    }

    @Test
    void neverGoesBackAndIgnoresSmallCorrections() {
        pass(100, -3_600_000);
        assertThat(clock.millis()).isEqualTo(100);
        // The clock that was set back shows the next pause all the same.
        pass(0, 60_000);
        assertThat(clock.millis()).isEqualTo(60_100);
        pass(1_000, 1_100);
        assertThat(clock.millis()).isEqualTo(61_100);
    }
}
