package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PaceTest {

    private final Pace pace = new Pace();
    private long now = 10_000;

    private long emptyRead(boolean toldOfRows) {
        pace.read(0, 100, now, now, toldOfRows);
        long wait = pace.nextReadAt(0, 100) - now;
        now = pace.nextReadAt(0, 100);
        return wait;
    }

    @Test
    void asksLessAndLessOftenWhileThereIsNothing() {
        assertThat(emptyRead(false)).isEqualTo(40);
        assertThat(emptyRead(false)).isEqualTo(80);
        for (int i = 0; i < 20; i++) {
            emptyRead(false);
        }
        assertThat(emptyRead(false)).isEqualTo(1_000);
        assertThat(pace.isAsleep()).isFalse();
    }

    @Test
    void sleepsOnlyIfItIsToldOfRowsAndReadsOnceMoreBefore() {
        for (int i = 0; i < 3; i++) {
            emptyRead(true);
        }
        assertThat(pace.isAsleep()).isFalse();
        assertThat(emptyRead(true)).isZero();
        assertThat(pace.isAsleep()).isTrue();
        assertThat(emptyRead(true)).isEqualTo(1_000);
        pace.woken(now - 900);
        assertThat(pace.nextReadAt(0, 100)).isEqualTo(now - 900);
        pace.read(1, 100, now, now, true);
        assertThat(pace.isAsleep()).isFalse();
    }

    @Test
    void aListenerThatIsCutOffEndsTheSleep() {
        for (int i = 0; i < 5; i++) {
            emptyRead(true);
        }
        assertThat(pace.isAsleep()).isTrue();
        emptyRead(false);
        assertThat(pace.isAsleep()).isFalse();
    }

    @Test
    void readsAgainAtOnceAfterAFullReadUnlessMuchIsInMemory() {
        pace.read(100, 100, now, now, true);
        assertThat(pace.nextReadAt(10, 100)).isEqualTo(now);
        assertThat(pace.nextReadAt(60, 100)).isEqualTo(now + 100);
    }

    @Test
    void aPauseOfTheMachineDuringAReadDoesNotDelayTheNextOneByAsMuch() {
        pace.read(0, 500, 1_000, 121_000, false);

        assertThat(pace.nextReadAt(0, 500)).isLessThanOrEqualTo(131_000);
    }
}
