package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a Redis has room for more tasks. */
class MemoryUsageTest {

    private static final double HEADROOM = 0.1;

    @Test
    void roomEndsAtTheHeadroomAndComesBackALittleBelow() {
        assertThat(new MemoryUsage(900, 1_000).hasRoom(HEADROOM, true)).isTrue();
        assertThat(new MemoryUsage(901, 1_000).hasRoom(HEADROOM, true)).isFalse();
        assertThat(new MemoryUsage(900, 1_000).hasRoom(HEADROOM, false)).isFalse();
        assertThat(new MemoryUsage(882, 1_000).hasRoom(HEADROOM, false)).isTrue();
    }

    @Test
    void withoutALimitThereIsAlwaysRoom() {
        assertThat(new MemoryUsage(1L << 40, 0).hasRoom(HEADROOM, false)).isTrue();
        assertThat(new MemoryUsage(1L << 40, 0).isFilling(HEADROOM)).isFalse();
    }

    @Test
    void fillsFromHalfOfTheRoomOn() {
        assertThat(new MemoryUsage(450, 1_000).isFilling(HEADROOM)).isFalse();
        assertThat(new MemoryUsage(451, 1_000).isFilling(HEADROOM)).isTrue();
    }

    @Test
    void aQuarterOfTheRoomIsForTasksOnly() {
        assertThat(new MemoryUsage(675, 1_000).hasSpareRoom(HEADROOM)).isTrue();
        assertThat(new MemoryUsage(676, 1_000).hasSpareRoom(HEADROOM)).isFalse();
        assertThat(new MemoryUsage(1L << 40, 0).hasSpareRoom(HEADROOM)).isTrue();
    }

    @Test
    void buffersThatRedisDoesNotCountAreLeftOut() {
        MemoryUsage usage = MemoryUsage.of("used_memory:1000\r\nmaxmemory:2000\r\nmem_not_counted_for_evict:100\r\n");
        assertThat(usage).isEqualTo(new MemoryUsage(900, 2_000));
    }
}
