package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.StoreRequest.Acquire;
import org.junit.jupiter.api.Test;

class LogCutTest {

    private final LogCut cut = new LogCut();

    @Test
    void isPendingUntilTheAcquireThatToldOfItIsDurable() {
        cut.noticed(40, 3);
        cut.told(7, 4);
        cut.durable(6);
        assertThat(cut.offset()).isEqualTo(40);
        assertThat(cut.of()).isEqualTo(3);
        assertThat(cut.takeRecorded()).isFalse();

        cut.durable(7);
        assertThat(cut.isPending()).isFalse();
        assertThat(cut.takeRecorded()).isTrue();
        assertThat(cut.takeRecorded()).as("said once").isFalse();
    }

    @Test
    void nothingBeyondItIsCommittedWhileItIsPending() {
        assertThat(cut.bound(100)).isEqualTo(100);
        cut.noticed(40, 3);
        assertThat(cut.bound(100)).isEqualTo(40);
        assertThat(cut.bound(30)).isEqualTo(30);
    }

    @Test
    void ofTwoTheLowestOffsetCountsAndTheStoreIsToldAgain() {
        cut.noticed(40, 3);
        cut.told(7, 4);
        cut.noticed(20, 4);
        cut.durable(7);

        assertThat(cut.offset()).isEqualTo(20);
        // The acquire for the first cut has begun incarnation 4, which the second one applies to as well.
        assertThat(cut.of()).isEqualTo(4);
        cut.told(9, 5);
        cut.durable(9);
        assertThat(cut.isPending()).isFalse();
    }

    @Test
    void aStoreThatKnewNothingHasNothingToForget() {
        cut.noticed(40, Acquire.ANY_INCARNATION);
        cut.told(1, 0);

        assertThat(cut.isPending()).isFalse();
        assertThat(cut.takeRecorded()).isTrue();
    }

    @Test
    void aCutThatThePresentIncarnationFollowsIsPendingUntilItsAcquireIsDurable() {
        cut.durable(4);
        cut.noticedLater(40, 2, 5);
        assertThat(cut.offset()).isEqualTo(40);
        assertThat(cut.of()).isEqualTo(1);
        cut.durable(5);
        assertThat(cut.isPending()).isFalse();

        cut.noticedLater(30, 2, 5);
        assertThat(cut.isPending()).as("durable already").isFalse();
    }
}
