package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class HeartbeatScheduleTest {

    private static final long LATER = 10 * HeartbeatSchedule.UNSETTLED_MILLIS;

    private final HeartbeatSchedule schedule = new HeartbeatSchedule(0);

    @Test
    void beatsFastAfterTheStart() {
        assertThat(schedule.isDue(HeartbeatSchedule.FAST_MILLIS - 1, Set.of())).isFalse();
        assertThat(schedule.isDue(HeartbeatSchedule.FAST_MILLIS, Set.of())).isTrue();
        assertThat(schedule.isDue(2 * HeartbeatSchedule.FAST_MILLIS - 1, Set.of()))
                .isFalse();
        assertThat(schedule.isDue(2 * HeartbeatSchedule.FAST_MILLIS, Set.of())).isTrue();
    }

    @Test
    void beatsSlowlyOnceSettled() {
        assertThat(schedule.isDue(LATER, Set.of())).isTrue();
        assertThat(schedule.isDue(LATER + HeartbeatSchedule.SLOW_MILLIS - 1, Set.of()))
                .isFalse();
        assertThat(schedule.isDue(LATER + HeartbeatSchedule.SLOW_MILLIS, Set.of()))
                .isTrue();
    }

    @Test
    void beatsFastAfterAnExecutorComesOrGoes() {
        Set<String> one = Set.of("a");
        Set<String> two = Set.of("a", "b");
        assertThat(schedule.isDue(HeartbeatSchedule.FAST_MILLIS, one)).isTrue();
        assertThat(schedule.isDue(LATER, one)).isTrue();
        assertThat(schedule.isDue(LATER + HeartbeatSchedule.FAST_MILLIS, one)).isFalse();
        assertThat(schedule.isDue(LATER + HeartbeatSchedule.FAST_MILLIS, two)).isTrue();
        assertThat(schedule.isDue(LATER + 2 * HeartbeatSchedule.FAST_MILLIS, two))
                .isTrue();
        long settled = LATER + 2 * HeartbeatSchedule.UNSETTLED_MILLIS;
        assertThat(schedule.isDue(settled, two)).isTrue();
        assertThat(schedule.isDue(settled + HeartbeatSchedule.FAST_MILLIS, two)).isFalse();
        assertThat(schedule.isDue(settled + HeartbeatSchedule.FAST_MILLIS, one)).isTrue();
    }
}
