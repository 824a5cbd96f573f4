package dev.tandem.task.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tandem.task.store.PartitionHistory.Earlier;
import dev.tandem.task.store.PartitionHistory.Growth;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** Which tasks come first when a log got more partitions. The partition of a key is its hash modulo their count. */
class PartitionHistoryTest {

    private static final PartitionHistory OPEN =
            PartitionHistory.first("topic", 2).grown(3, 1_000, 2_000);

    private static final PartitionHistory CLOSED = OPEN.closed(OPEN.growths().get(0), List.of(10L, 20L, 30L));

    private static IntUnaryOperator hash(int hash) {
        return count -> hash % count;
    }

    @Test
    void aTaskOfAKeyThatMovedComesBehindThoseInTheFormerPartition() {
        // 0 of 2, then 2 of 3.
        assertThat(CLOSED.earlier(hash(2), 2, 0)).containsExactly(new Earlier(growth(), 0));
        // 1 of 2, then 0 of 3: from one of the former partitions to another.
        assertThat(CLOSED.earlier(hash(3), 0, 5)).containsExactly(new Earlier(growth(), 1));
        assertThat(CLOSED.moves(hash(3))).isTrue();
    }

    @Test
    void othersComeBehindNothing() {
        assertThat(CLOSED.earlier(hash(1), 1, 25)).as("a key that stays").isEmpty();
        assertThat(CLOSED.moves(hash(1))).isFalse();
        assertThat(CLOSED.earlier(hash(2), 0, 9)).as("in the former partition").isEmpty();
        assertThat(CLOSED.earlier(hash(2), 0, 11))
                .as("published too late with the former count")
                .isEmpty();
        assertThat(CLOSED.earlier(hash(2), 1, 0)).as("with another partitioner").isEmpty();
        assertThat(CLOSED.knowsPlace(hash(2), 1, 0)).isFalse();
    }

    @Test
    void aTaskBehindSeveralGrowthsComesBehindAllFormerPartitions() {
        PartitionHistory open = CLOSED.grown(4, 3_000, 4_000);
        PartitionHistory twice = open.closed(open.growths().get(1), List.of(100L, 200L, 300L, 400L));
        // 0 of 2, 1 of 3, 0 of 4.
        assertThat(twice.earlier(hash(4), 1, 50))
                .containsExactly(new Earlier(twice.growths().get(0), 0));
        assertThat(twice.earlier(hash(4), 0, 150))
                .containsExactly(new Earlier(twice.growths().get(1), 1));
        assertThat(twice.earlier(hash(4), 0, 5)).as("of the first count").isEmpty();
        // 1 of 2, 1 of 3, 3 of 4.
        assertThat(twice.earlier(hash(7), 3, 0))
                .containsExactly(
                        new Earlier(twice.growths().get(0), 1),
                        new Earlier(twice.growths().get(1), 1));
    }

    @Test
    void tooManyGrowthsForgetTheOldest() {
        PartitionHistory history = PartitionHistory.first("topic", 1);
        for (int count = 2; count < 20; count++) {
            history = history.grown(count, 0, 1);
        }
        assertThat(history.growths()).hasSize(PartitionHistory.MAX_GROWTHS);
        assertThat(history.growths().get(7).from()).isEqualTo(18);
    }

    @Test
    void itsFormIsReadBack() {
        for (PartitionHistory each : List.of(PartitionHistory.first("a b", 7), OPEN, CLOSED, CLOSED.grown(9, 1, 2))) {
            assertThat(PartitionHistory.decode(each.encode())).isEqualTo(each);
        }
        assertThat(CLOSED.encode()).isEqualTo("1 3 topic\n2 1000 2000 10,20");
        assertThat(CLOSED.without(growth()).growths()).isEmpty();
    }

    @Test
    void otherFormsAreRefused() {
        for (String text : List.of("", "2 3 topic", "1 x topic", "1 3 topic\n2 1", "1 3 topic\n2 1 2 5")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> PartitionHistory.decode(text))
                    .withMessageContaining("upgrade this program");
        }
    }

    private static Growth growth() {
        return CLOSED.growths().get(0);
    }
}
