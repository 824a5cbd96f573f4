package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PartitionHistoryTest {

    private final PartitionHistory history = new PartitionHistory(new RateLimit(1, 1));

    @Test
    void anIdentityThatCameTwiceIsNewOnceUntilThePartitionIsCaughtUp() {
        assertThat(history.addTwin("m1")).isTrue();
        assertThat(history.addTwin("m1")).isFalse();
        assertThat(history.addTwin("m2")).isTrue();

        history.caughtUp();
        assertThat(history.addTwin("m1")).isTrue();
    }

    @Test
    void theLastFailedDrainIsKnownUntilOneSucceeds() {
        PartitionHistory.FailedDrain failed = new PartitionHistory.FailedDrain(2, 1_000);
        history.drainFailed(failed);
        history.caughtUp();
        assertThat(history.failedDrain()).isEqualTo(failed);

        history.drained();
        assertThat(history.failedDrain()).isNull();
    }
}
