package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class PaceTest {

    private static final long LATER = 10 * Pace.YOUNG_MILLIS;

    private final Pace pace = new Pace(0);

    @Test
    void aYoungExecutorShowsItselfOften() {
        assertThat(pace.isDue(Pace.OFTEN_MILLIS - 1, Set.of())).isFalse();
        assertThat(pace.isDue(Pace.OFTEN_MILLIS, Set.of())).isTrue();
        assertThat(pace.isDue(2 * Pace.OFTEN_MILLIS - 1, Set.of())).isFalse();
        assertThat(pace.isDue(2 * Pace.OFTEN_MILLIS, Set.of())).isTrue();
    }

    @Test
    void anOldOneDoesSoSeldom() {
        assertThat(pace.isDue(LATER, Set.of())).isTrue();
        assertThat(pace.isDue(LATER + Pace.SELDOM_MILLIS - 1, Set.of())).isFalse();
        assertThat(pace.isDue(LATER + Pace.SELDOM_MILLIS, Set.of())).isTrue();
    }

    @Test
    void whenOneComesOrGoesAllShowThemselvesOften() {
        Set<String> one = Set.of("a");
        Set<String> two = Set.of("a", "b");
        assertThat(pace.isDue(Pace.OFTEN_MILLIS, one)).isTrue();
        assertThat(pace.isDue(LATER, one)).isTrue();
        assertThat(pace.isDue(LATER + Pace.OFTEN_MILLIS, one)).isFalse();
        assertThat(pace.isDue(LATER + Pace.OFTEN_MILLIS, two)).isTrue();
        assertThat(pace.isDue(LATER + 2 * Pace.OFTEN_MILLIS, two)).isTrue();
        long old = LATER + 2 * Pace.YOUNG_MILLIS;
        assertThat(pace.isDue(old, two)).isTrue();
        assertThat(pace.isDue(old + Pace.OFTEN_MILLIS, two)).isFalse();
        assertThat(pace.isDue(old + Pace.OFTEN_MILLIS, one)).isTrue();
    }
}
