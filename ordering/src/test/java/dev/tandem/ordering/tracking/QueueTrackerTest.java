package dev.tandem.ordering.tracking;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.lanes.DeliveryState;
import dev.tandem.ordering.lanes.Entries;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.Position;
import org.junit.jupiter.api.Test;

/** Examples of which messages may be acked. */
class QueueTrackerTest {

    private final QueueTracker tracker = new QueueTracker(null);
    private final TaskEntry first = delivered(1);
    private final TaskEntry second = delivered(2);

    private TaskEntry delivered(long tag) {
        TaskEntry entry = Entries.message(new Position("m" + tag), tag, false);
        tracker.delivered(entry);
        return entry;
    }

    @Test
    void messagesAreAckedInTheOrderInWhichTheyAreSettled() {
        tracker.mark(second, DeliveryState.SETTLED, 1);
        tracker.mark(first, DeliveryState.SETTLED, 2);

        assertThat(tracker.takeSettled()).containsExactly(second, first);
    }

    @Test
    void eachMessageIsAckedOnce() {
        tracker.mark(first, DeliveryState.SETTLED, 1);
        assertThat(tracker.takeSettled()).containsExactly(first);

        tracker.mark(first, DeliveryState.SETTLED, 2);
        assertThat(tracker.takeSettled()).isEmpty();
    }

    @Test
    void aHandOverIsAckedOnceItsRequestIsDurable() {
        tracker.mark(first, DeliveryState.TAKEN_OVER, 3);

        tracker.durable(2);
        assertThat(tracker.takeSettled()).isEmpty();

        tracker.durable(3);
        assertThat(tracker.takeSettled()).containsExactly(first);
    }

    @Test
    void aMessageThatIsPendingAgainIsNotAckedByItsOldRequest() {
        tracker.mark(first, DeliveryState.TAKEN_OVER, 3);
        tracker.mark(first, DeliveryState.PENDING, 0);

        tracker.durable(3);

        assertThat(tracker.takeSettled()).isEmpty();
        assertThat(tracker.isUnacked(first)).isTrue();
    }

    @Test
    void aSettledMessageIsNotUnackedAnyMore() {
        tracker.mark(first, DeliveryState.SETTLED, 1);

        assertThat(tracker.isUnacked(first)).isFalse();
        assertThat(tracker.isUnacked(second)).isTrue();
    }
}
