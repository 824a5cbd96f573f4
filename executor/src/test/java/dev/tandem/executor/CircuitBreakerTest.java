package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.executor.CircuitBreaker.State;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When the circuit breaker opens, how it probes, and when it closes. */
class CircuitBreakerTest {

    private static final BreakerPolicy POLICY = new BreakerPolicy(true, 0.9, 10, Duration.ofSeconds(10));

    private final CircuitBreaker breaker = new CircuitBreaker(POLICY);
    private long now = 5_000;

    @Test
    void opensWhenNearlyAllAttemptsFail() {
        assertThat(ends(1, 8)).as("too few attempts").isFalse();
        assertThat(ends(0, 1)).isTrue();

        assertThat(breaker.state()).isEqualTo(State.OPEN);
        assertThat(breaker.allowed()).isEqualTo(1);
        assertThat(breaker.describeWindow(now)).isEqualTo("9 of the last 10 attempts failed");
    }

    @Test
    void staysClosedWhileEnoughSucceed() {
        for (int second = 0; second < 60; second++) {
            assertThat(ends(20, 80)).isFalse();
            now += 1_000;
        }
        assertThat(breaker.isClosed()).isTrue();
        assertThat(breaker.nextTurn()).isEqualTo(CircuitBreaker.NEVER);
    }

    @Test
    void forgetsWhatIsOlderThanTheWindow() {
        ends(0, 9);
        now += 10_000;
        assertThat(ends(0, 1)).isFalse();
    }

    @Test
    void allowsOneStartASecondAsLongAsTheyFail() {
        ends(0, 10);
        for (int second = 0; second < 100; second++) {
            assertThat(ends(0, 1)).as("within the second").isFalse();
            now += 1_000;
            assertThat(breaker.turn(now, 0)).isTrue();
            assertThat(breaker.allowed()).isEqualTo(1);
        }
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    @Test
    void allowsTwiceAsManyAfterEachSecondThatSucceedsAndCloses() {
        ends(0, 10);
        for (int allowed = 1; allowed < 10; allowed *= 2) {
            assertThat(breaker.allowed()).isEqualTo(allowed);
            ends(allowed, 0);
            now += 1_000;
            assertThat(breaker.turn(now, 0)).isTrue();
            assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
        }
        ends(16, 0);
        now += 1_000;
        assertThat(breaker.turn(now, 0)).isTrue();
        assertThat(breaker.isClosed()).isTrue();
        assertThat(ends(0, 9)).as("the window begins anew").isFalse();
    }

    @Test
    void beginsAgainWithOneStartIfAttemptsFailAgain() {
        ends(0, 10);
        ends(1, 0);
        now += 1_000;
        breaker.turn(now, 0);
        assertThat(breaker.allowed()).isEqualTo(2);

        ends(0, 2);
        now += 1_000;
        breaker.turn(now, 0);

        assertThat(breaker.state()).isEqualTo(State.OPEN);
        assertThat(breaker.allowed()).isEqualTo(1);
    }

    @Test
    void waitsForSlowAttempts() {
        ends(0, 10);
        for (int second = 0; second < 60; second++) {
            now += 1_000;
            breaker.turn(now, 3);
            assertThat(breaker.allowed()).isEqualTo(1);
            assertThat(breaker.state()).isEqualTo(State.OPEN);
        }
    }

    @Test
    void closesWhenNothingRunsAndNothingEndedForAWindow() {
        ends(0, 10);
        for (int second = 0; second < 10; second++) {
            now += 1_000;
            breaker.turn(now, 0);
        }
        assertThat(breaker.isClosed()).isTrue();
    }

    @Test
    void neverOpensWhenItIsOff() {
        CircuitBreaker off = new CircuitBreaker(BreakerPolicy.OFF);
        off.ended(0, 1_000_000, now);
        assertThat(off.turn(now, 0)).isFalse();
        assertThat(off.isClosed()).isTrue();
    }

    /** @return whether the breaker changed */
    private boolean ends(long succeeded, long failed) {
        breaker.ended(succeeded, failed, now);
        return breaker.turn(now, 0);
    }
}
