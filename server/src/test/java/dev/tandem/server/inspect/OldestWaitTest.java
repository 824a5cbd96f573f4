package dev.tandem.server.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OldestWaitTest {

    private static final Map<String, Long> NO_LAG = Map.of("0", 0L, "1", 0L);

    private static PartitionInfo partition(String name, @Nullable String owner, @Nullable Long waitMillis) {
        return new PartitionInfo(name, owner, 0, TaskCounts.NONE, Map.of(), 0, 0, waitMillis, null);
    }

    @Test
    void thatOfAQueueIsTheLongestOfItsPartitions() {
        List<PartitionInfo> both = List.of(partition("0", "one", 700L), partition("1", "two", 2_000L));
        assertThat(OldestWait.of(both, NO_LAG)).isEqualTo(2_000);
        assertThat(OldestWait.of(List.of(partition("0", "one", 0L)), NO_LAG)).isZero();
    }

    @Test
    void anOwnerOfAnEarlierVersionDoesNotSayItSoThatNoneIsNotKnown() {
        PartitionInfo old = partition("0", "one", null);
        assertThat(OldestWait.of(old, NO_LAG)).isNull();
        assertThat(OldestWait.of(List.of(old, partition("1", "two", 0L)), NO_LAG))
                .isNull();
        assertThat(OldestWait.of(List.of(old, partition("1", "two", 5L)), NO_LAG))
                .as("at least")
                .isEqualTo(5);
    }

    @Test
    void whatWaitsInTheBrokerWithoutAnOwnerIsOfAnUnknownAge() {
        PartitionInfo unowned = partition("0", null, 0L);
        assertThat(OldestWait.of(unowned, Map.of("0", 3L))).isNull();
        assertThat(OldestWait.of(unowned, NO_LAG)).isZero();
        assertThat(OldestWait.of(partition("0", null, 40L), Map.of("0", 3L)))
                .as("due in Redis")
                .isEqualTo(40);
        assertThat(OldestWait.of(List.of(), Map.of("0", 3L)))
                .as("nobody has ever owned it")
                .isNull();
        PartitionInfo idle = partition("0", "one", 0L);
        assertThat(OldestWait.of(List.of(idle), Map.of("0", 0L, "1", 3L)))
                .as("nobody has ever owned one of them")
                .isNull();
        assertThat(OldestWait.of(List.of(idle), Map.of("", 3L)))
                .as("of a queue without sub-queues")
                .isZero();
        assertThat(OldestWait.of(List.of(), NO_LAG)).isZero();
        assertThat(OldestWait.of(List.of(), Map.of()))
                .as("the broker does not answer")
                .isNull();
    }
}
