package dev.tandem.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A limit that a busy machine does not reach too early. */
class PatientTimerTest {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private long now = 77;
    private final PatientTimer timer = new PatientTimer(LIMIT, now);

    private long secondsUntilOver(long stepMillis, boolean progresses) {
        long begin = now;
        for (int look = 1; ; look++) {
            now += TimeUnit.MILLISECONDS.toNanos(stepMillis);
            if (timer.isOver(now, progresses ? look : 0)) {
                return TimeUnit.NANOSECONDS.toSeconds(now - begin);
            }
        }
    }

    @Test
    void endsAfterItsTimeOnAMachineThatIsNotBusy() {
        assertThat(secondsUntilOver(50, false)).isEqualTo(10);
    }

    @Test
    void givesABusyMachineMoreTimeButNotForEver() {
        assertThat(secondsUntilOver(300, false)).isEqualTo(20);
    }

    @Test
    void doesNotEndWhileSomethingProgressesButNotForEver() {
        assertThat(secondsUntilOver(50, true)).isEqualTo(40);
    }
}
