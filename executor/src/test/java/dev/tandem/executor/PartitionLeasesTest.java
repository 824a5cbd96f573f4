package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Partition;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Whether an executor counts among those that share a queue's partitions. */
class PartitionLeasesTest {

    private static final Set<Partition> ALL = Set.of(Partition.of("mail", 0), Partition.of("mail", 1));

    private final PartitionLeases leases = new PartitionLeases("a", Set::of, 1_000, new NoActions(), 0);

    private void check(long now, boolean brokerReached) {
        leases.check(now, brokerReached ? ALL : List.of(), Set.of(), Set.of());
    }

    @Test
    void sharesForThreeSecondsAfterItsStartWithoutABroker() {
        check(0, false);
        assertThat(leases.isSharing(2_999)).isTrue();
        check(3_000, false);
        assertThat(leases.isSharing(3_000)).isFalse();
    }

    @Test
    void doesNotShareThreeSecondsAfterItLostItsBrokerUntilItIsBack() {
        check(10_000, true);
        check(12_999, false);
        assertThat(leases.isSharing(12_999)).isTrue();
        assertThat(leases.isSharing(13_000)).isFalse();
        check(20_000, true);
        assertThat(leases.isSharing(20_000)).isTrue();
    }

    @Test
    void doesNotShareWhileItHangs() {
        check(10_000, true);
        assertThat(leases.isSharing(13_000)).isFalse();
    }

    private static final class NoActions implements PartitionLeases.Actions {
        @Override
        public void hold(Partition partition) {}

        @Override
        public void release(Partition partition) {}

        @Override
        public void drop(Partition partition) {}
    }
}
