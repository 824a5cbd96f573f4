package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.StoreRoom;
import org.junit.jupiter.api.Test;

/** When a Redis has room for more tasks. */
class MemoryUsageTest {

    private static final double HEADROOM = 0.1;

    @Test
    void roomEndsAtTheHeadroomAndComesBackALittleBelow() {
        assertThat(room(900, StoreRoom.SOME)).isEqualTo(StoreRoom.SOME);
        assertThat(room(901, StoreRoom.SOME)).isEqualTo(StoreRoom.NONE);
        assertThat(room(883, StoreRoom.NONE)).isEqualTo(StoreRoom.NONE);
        assertThat(room(882, StoreRoom.NONE)).isEqualTo(StoreRoom.SOME);
    }

    @Test
    void halfOfTheRoomEndsAtTheMiddleAndComesBackALittleBelow() {
        assertThat(room(450, StoreRoom.HALF)).isEqualTo(StoreRoom.HALF);
        assertThat(room(451, StoreRoom.HALF)).isEqualTo(StoreRoom.SOME);
        assertThat(room(433, StoreRoom.SOME)).isEqualTo(StoreRoom.SOME);
        assertThat(room(432, StoreRoom.SOME)).isEqualTo(StoreRoom.HALF);
        assertThat(room(432, StoreRoom.NONE)).as("all at once").isEqualTo(StoreRoom.HALF);
        assertThat(room(901, StoreRoom.HALF)).as("all at once").isEqualTo(StoreRoom.NONE);
    }

    private static StoreRoom room(long used, StoreRoom before) {
        return new MemoryUsage(used, 1_000).room(HEADROOM, before);
    }

    @Test
    void withoutALimitThereIsAlwaysRoom() {
        MemoryUsage unlimited = new MemoryUsage(1L << 40, 0);
        assertThat(unlimited.room(HEADROOM, StoreRoom.NONE)).isEqualTo(StoreRoom.HALF);
        assertThat(unlimited.isFilling(HEADROOM)).isFalse();
        assertThat(unlimited.writable(HEADROOM, StoreRoom.HALF)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void fillsFromAQuarterOfTheRoomOn() {
        assertThat(new MemoryUsage(225, 1_000).isFilling(HEADROOM)).isFalse();
        assertThat(new MemoryUsage(226, 1_000).isFilling(HEADROOM)).isTrue();
    }

    /** A process that writes as fast as it can, and looks only when it must, is past the half by at most an eightieth of the room. */
    @Test
    void aBurstIsSeenCloseToTheHalf() {
        long limit = 1L << 30;
        double half = limit * (1 - HEADROOM) / 2;
        long used = 0;
        int looks = 0;
        StoreRoom room = StoreRoom.HALF;
        for (; room == StoreRoom.HALF; looks++) {
            MemoryUsage usage = new MemoryUsage(used, limit);
            room = usage.room(HEADROOM, room);
            used += room == StoreRoom.HALF ? usage.writable(HEADROOM, room) : 0;
        }
        assertThat(room).isEqualTo(StoreRoom.SOME);
        assertThat((double) used).isBetween(half, half + 2 * half / 80);
        assertThat(looks).isLessThan(40);
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
