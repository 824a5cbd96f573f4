package dev.tandem.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {

    private static final long SEED = 42;
    private final RandomGenerator random = new Random(SEED);

    @Test
    void exponentialDelaysGrowUpToTheMaximum() {
        RetryPolicy policy = RetryPolicy.exponential(Duration.ofSeconds(1), 2, Duration.ofSeconds(10), 0);

        assertThat(policy.delayMillis(1, random)).isEqualTo(1_000);
        assertThat(policy.delayMillis(2, random)).isEqualTo(2_000);
        assertThat(policy.delayMillis(4, random)).isEqualTo(8_000);
        assertThat(policy.delayMillis(5, random)).isEqualTo(10_000);
        assertThat(policy.delayMillis(100_000, random)).isEqualTo(10_000);
    }

    @Test
    void jitterSpreadsOverBothSidesOfTheDelay() {
        RetryPolicy policy = RetryPolicy.exponential(Duration.ofSeconds(1), 2, Duration.ofHours(1), 0.2);
        long least = Long.MAX_VALUE;
        long most = 0;
        for (int i = 0; i < 10_000; i++) {
            long delay = policy.delayMillis(3, random);
            least = Math.min(least, delay);
            most = Math.max(most, delay);
        }

        assertThat(least).isBetween(3_200L, 3_210L);
        assertThat(most).isBetween(4_790L, 4_800L);
    }

    @Test
    void fixedDelaysAreAllTheSame() {
        RetryPolicy policy = RetryPolicy.fixed(Duration.ofSeconds(7));

        assertThat(policy.delayMillis(1, random)).isEqualTo(7_000);
        assertThat(policy.delayMillis(99, random)).isEqualTo(7_000);
    }

    @Test
    void sidekiqDelaysAreTheFourthPowerPlus15SecondsAndGrowingJitter() {
        RetryPolicy policy = RetryPolicy.sidekiq();
        for (int i = 0; i < 1_000; i++) {
            assertThat(policy.delayMillis(1, random)).isBetween(15_000L, 15_000L + 9_000);
            assertThat(policy.delayMillis(2, random)).isBetween(16_000L, 16_000L + 19_000);
            assertThat(policy.delayMillis(11, random)).isBetween(10_015_000L, 10_015_000L + 109_000);
        }
    }

    @Test
    void twentyFiveSidekiqRetriesTakeAboutThreeWeeks() {
        long sum = 0;
        for (int attempt = 1; attempt <= 25; attempt++) {
            sum += RetryPolicy.sidekiq().delayMillis(attempt, random);
        }

        assertThat(Duration.ofMillis(sum).toDays()).isBetween(20L, 21L);
    }

    @Test
    void noPolicyWaitsLongerThanAYear() {
        assertThat(RetryPolicy.sidekiq().delayMillis(Integer.MAX_VALUE, random))
                .isEqualTo(RetryPolicy.MAX_DELAY_MILLIS);
        assertThat(RetryPolicy.exponential(Duration.ofDays(300), 9, Duration.ofDays(365), 1)
                        .delayMillis(Integer.MAX_VALUE, random))
                .isBetween(0L, RetryPolicy.MAX_DELAY_MILLIS);
    }

    @Test
    void valuesOutOfRangeAreRefusedByName() {
        assertThatThrownBy(() -> RetryPolicy.exponential(Duration.ofSeconds(2), 2, Duration.ofSeconds(1), 0))
                .hasMessageContaining("backoff.max is 1000 ms")
                .hasMessageContaining("2000 ms");
        assertThatThrownBy(() -> RetryPolicy.exponential(Duration.ofSeconds(1), 0.5, Duration.ofHours(1), 0))
                .hasMessageContaining("backoff.multiplier is 0.5");
        assertThatThrownBy(() -> RetryPolicy.exponential(Duration.ofSeconds(1), 2, Duration.ofHours(1), 1.5))
                .hasMessageContaining("backoff.jitter is 1.5");
        assertThatThrownBy(() -> RetryPolicy.fixed(Duration.ofSeconds(-1))).hasMessageContaining("backoff is -1000 ms");
    }
}
