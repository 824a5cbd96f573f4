package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.BusinessId;
import org.junit.jupiter.api.Test;

/** Tests that each id has one walk at a time, and one more if its task ends again meanwhile. */
class WakeupWalksTest {

    private static final BusinessId ID = new BusinessId("orders", "order-7");

    private final WakeupWalks walks = new WakeupWalks();

    @Test
    void aSecondEndDuringAWalkRepeatsItOnce() {
        assertThat(walks.begin(ID)).isTrue();
        assertThat(walks.begin(ID)).isFalse();
        assertThat(walks.begin(ID)).isFalse();

        assertThat(walks.end(ID)).isTrue();
        assertThat(walks.begin(ID)).isTrue();
        assertThat(walks.end(ID)).as("nothing ended during this one").isFalse();
    }

    @Test
    void idsDoNotWaitForEachOther() {
        assertThat(walks.begin(ID)).isTrue();
        assertThat(walks.begin(new BusinessId("orders", "order-8"))).isTrue();
    }

    @Test
    void thereIsABoundOfWalksAtOnce() {
        for (int i = 0; i < WakeupWalks.MAX_WALKS; i++) {
            assertThat(walks.begin(new BusinessId("orders", "other-" + i))).isTrue();
        }
        assertThat(walks.begin(ID)).isFalse();

        assertThat(walks.end(new BusinessId("orders", "other-0"))).isFalse();
        assertThat(walks.begin(ID)).isTrue();
    }
}
