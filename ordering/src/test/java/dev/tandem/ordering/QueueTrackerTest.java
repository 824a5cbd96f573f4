package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.TaskEntry.DeliveryState;
import dev.tandem.task.Position;
import org.junit.jupiter.api.Test;

/** Examples of which messages may be acked. */
class QueueTrackerTest {

    private final QueueTracker tracker = new QueueTracker();
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
    void aHandOverIsAckedWhenItsRequestIsProven() {
        tracker.mark(first, DeliveryState.TAKEN_OVER, 3);

        tracker.proven(2);
        assertThat(tracker.takeSettled()).isEmpty();

        tracker.proven(3);
        assertThat(tracker.takeSettled()).containsExactly(first);
    }

    @Test
    void aMessageThatIsPendingAgainIsNotAckedByItsOldRequest() {
        tracker.mark(first, DeliveryState.TAKEN_OVER, 3);
        tracker.mark(first, DeliveryState.PENDING, 0);

        tracker.proven(3);

        assertThat(tracker.takeSettled()).isEmpty();
        assertThat(tracker.isUnacked(first)).isTrue();
    }

    @Test
    void aQueueCommitsNoPrefix() {
        tracker.mark(first, DeliveryState.SETTLED, 1);

        assertThat(tracker.prefix()).isEqualTo(-1);
        assertThat(tracker.isUnacked(first)).isFalse();
        assertThat(tracker.isUnacked(second)).isTrue();
    }
}
