package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EventGapsTest {

    private static final Instant RECORDED = Instant.parse("2026-11-24T10:00:00.000001Z");

    private final EventGaps gaps = new EventGaps();

    /** Returns how many are missing before an event that was recorded so many seconds later than the first one. */
    private long before(long number, long second) {
        return before("3", number, second);
    }

    private long before(String partition, long number, long second) {
        return gaps.before(Map.of(
                "source",
                "/tandem/orders",
                "id",
                partition + "/0:" + number + "/succeeded/1",
                "sequence",
                String.format("%020d", number),
                "time",
                RECORDED.plusSeconds(second).toString()));
    }

    @Test
    void whatTheBrokerRemovedIsCountedInEachPartition() {
        assertThat(before(5, 5)).as("nobody knows what was before").isZero();
        assertThat(before(6, 6)).isZero();
        assertThat(before("4", 20, 6)).isZero();
        assertThat(before(10, 10)).isEqualTo(3);
        assertThat(before("4", 21, 7)).isZero();
    }

    @Test
    void copiesThatAnEarlierOwnerPublishesLateAreNoLoss() {
        for (int number = 1; number <= 20; number++) {
            assertThat(before(number, number)).isZero();
        }
        for (int number = 4; number <= 6; number++) {
            assertThat(before(number, number)).isZero();
        }
        assertThat(before(21, 21)).as("the one behind the last").isZero();
    }

    @Test
    void numbersThatBeginAnewAreNoCopies() {
        before(500, 0);
        assertThat(before(3, 60)).as("Redis has forgotten").isZero();
        assertThat(before(6, 61)).isEqualTo(2);
    }

    @Test
    void whatIsNoEventCountsNothing() {
        assertThat(gaps.before(Map.of())).isZero();
        assertThat(gaps.before(Map.of("sequence", "x", "time", "now"))).isZero();
    }
}
