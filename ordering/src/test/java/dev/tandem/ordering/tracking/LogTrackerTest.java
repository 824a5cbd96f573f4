package dev.tandem.ordering.tracking;

import static dev.tandem.ordering.lanes.Entries.delivered;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.lanes.DeliveryState;
import dev.tandem.ordering.lanes.TaskEntry;
import org.junit.jupiter.api.Test;

/** Examples of what a log may commit. */
class LogTrackerTest {

    private final LogTracker tracker = new LogTracker();
    private final TaskEntry first = delivered("a", 5);
    private final TaskEntry second = delivered("b", 6);
    private final TaskEntry third = delivered("c", 9);

    private void deliverAll() {
        tracker.delivered(first);
        tracker.delivered(second);
        tracker.delivered(third);
        tracker.deliveredUpTo(10);
    }

    @Test
    void nothingMayBeCommittedBeforeTheFirstDelivery() {
        assertThat(tracker.prefix()).isEqualTo(LogTracker.NO_PREFIX);
    }

    @Test
    void thePrefixEndsAtTheFirstUnsettledOffset() {
        deliverAll();

        tracker.mark(first, DeliveryState.SETTLED, 1);
        tracker.mark(third, DeliveryState.SETTLED, 1);
        assertThat(tracker.prefix()).isEqualTo(6);

        tracker.mark(second, DeliveryState.SETTLED, 2);
        assertThat(tracker.prefix()).isEqualTo(10);
    }

    @Test
    void aHandOverCountsOnceItsRequestIsDurable() {
        deliverAll();
        tracker.mark(first, DeliveryState.TAKEN_OVER, 3);

        tracker.durable(2);
        assertThat(tracker.prefix()).isEqualTo(5);

        tracker.durable(3);
        assertThat(tracker.prefix()).isEqualTo(6);
    }

    @Test
    void aReportOfTheStoreIsDoubtedUnlessItIsDurable() {
        deliverAll();
        tracker.mark(first, DeliveryState.REPORTED_SETTLED, 1);
        tracker.mark(second, DeliveryState.REPORTED_SETTLED, 2);
        tracker.durable(1);

        assertThat(tracker.takeReported()).containsExactly(second);
        assertThat(second.state()).isEqualTo(DeliveryState.PENDING);
    }

    @Test
    void aSettledTaskTakesNoMemory() {
        deliverAll();
        assertThat(tracker.pending()).isEqualTo(3);
        assertThat(tracker.bytes()).isEqualTo(first.weight() + second.weight() + third.weight());

        tracker.mark(second, DeliveryState.SETTLED, 1);

        assertThat(tracker.pending()).isEqualTo(2);
        assertThat(tracker.bytes()).isEqualTo(first.weight() + third.weight());
        assertThat(second.hasTask()).isFalse();
    }
}
