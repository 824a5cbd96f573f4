package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When the buckets are told for how long tasks wait for those of a queue. */
class ExpectedWaitsTest {

    private final AtomicLong nanos = new AtomicLong(-7);
    private final ExpectedWaits waits = new ExpectedWaits(nanos::get);

    @Test
    void theyAreToldOfLongerWaitsAndEveryHour() {
        assertThat(waits.isNews("a", 100)).isTrue();
        assertThat(waits.isNews("a", 100)).isFalse();
        assertThat(waits.isNews("a", 99)).isFalse();
        assertThat(waits.isNews("a", 101)).isTrue();
        assertThat(waits.isNews("b", 50)).isTrue();

        nanos.addAndGet(Duration.ofMinutes(61).toNanos());
        assertThat(waits.isNews("a", 99)).isTrue();
        assertThat(waits.isNews("a", 100)).as("it may not be known any more").isTrue();
    }

    @Test
    void theyAreToldAgainOfAllIfRedisMayHaveForgotten() {
        assertThat(waits.isNews("a", 100)).isTrue();
        assertThat(waits.isNews("b", 100)).isTrue();
        waits.forgetAll();
        assertThat(waits.isNews("a", 1)).isTrue();
        assertThat(waits.isNews("b", 1)).isTrue();
        assertThat(waits.isNews("b", 1)).isFalse();
    }

    @Test
    void theyAreToldAgainIfOneDidNotAnswer() {
        assertThat(waits.isNews("a", 100)).isTrue();
        waits.forget("a");
        assertThat(waits.isNews("a", 1)).isTrue();
    }
}
