package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class HandoverTest {

    private final Handover handover = new Handover(1_000);

    @Test
    void aBucketGoesOnceNothingOfItIsOnItsWayAndNotAgainSoon() {
        assertThat(handover.wants(7, 0)).isTrue();
        assertThat(handover.leaving()).containsExactly(7);
        assertThat(handover.take(Set.of(7), 100)).isEmpty();
        assertThat(handover.take(Set.of(8), 200)).containsExactly(7);
        assertThat(handover.leaving()).isEmpty();
        assertThat(handover.wants(7, 3_199)).isFalse();
        assertThat(handover.wants(7, 3_200)).isTrue();
    }
}
