package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Partition;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Whether an executor is to be counted among those that share a queue's partitions. */
class LeasesTest {

    private static final Set<Partition> ALL = Set.of(Partition.of("mail", 0), Partition.of("mail", 1));

    private final Leases leases = new Leases("a", Set::of, 1_000, new NoHands(), 0);

    private void look(long now, boolean reached) {
        leases.look(now, reached ? ALL : List.of(), Set.of(), Set.of());
    }

    @Test
    void whoHasJustStartedIsCountedThoughItHasNotReachedItsBrokerYet() {
        look(0, false);
        assertThat(leases.isSharing(2_999)).isTrue();
        look(3_000, false);
        assertThat(leases.isSharing(3_000)).isFalse();
    }

    @Test
    void whoCannotReachItsBrokerIsNotCountedAfterSomeSecondsUntilItCan() {
        look(10_000, true);
        look(12_999, false);
        assertThat(leases.isSharing(12_999)).isTrue();
        assertThat(leases.isSharing(13_000)).isFalse();
        look(20_000, true);
        assertThat(leases.isSharing(20_000)).isTrue();
    }

    @Test
    void whoHangsIsNotCounted() {
        look(10_000, true);
        assertThat(leases.isSharing(13_000)).isFalse();
    }

    private static final class NoHands implements Leases.Hands {
        @Override
        public void take(Partition partition) {}

        @Override
        public void giveUp(Partition partition) {}

        @Override
        public void drop(Partition partition) {}
    }
}
