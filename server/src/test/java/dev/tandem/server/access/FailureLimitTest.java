package dev.tandem.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How often an address may fail to log in. */
class FailureLimitTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    /** Near the end of what fits into a long: such times are as good as any. */
    private static final long BEGIN = Long.MAX_VALUE - SECOND;

    private final FailureLimit limit = new FailureLimit();

    @Test
    void anAddressFailsTwentyTimesAtOnceAndThenOnceInThreeSeconds() {
        for (int i = 0; i < 20; i++) {
            assertThat(limit.isOverAfter("10.0.0.7", BEGIN)).isFalse();
        }
        assertThat(limit.isOverAfter("10.0.0.7", BEGIN)).isTrue();
        assertThat(limit.isOverAfter("10.0.0.8", BEGIN)).as("another one").isFalse();
        assertThat(limit.isOverAfter("10.0.0.7", BEGIN + 3 * SECOND)).isFalse();
        assertThat(limit.isOverAfter("10.0.0.7", BEGIN + 3 * SECOND)).isTrue();
    }

    @Test
    void anIpv6NetworkIsOneAddress() {
        for (int i = 0; i < 20; i++) {
            assertThat(limit.isOverAfter("2001:db8:0:1:0:0:0:" + i, BEGIN)).isFalse();
        }
        assertThat(limit.isOverAfter("2001:db8:0:1:a:b:c:d", BEGIN)).isTrue();
        assertThat(limit.isOverAfter("2001:db8:0:2:a:b:c:d", BEGIN)).isFalse();
    }
}
