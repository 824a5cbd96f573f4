package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class PaceTest {

    private final Pace pace = new Pace(0);

    @Test
    void aYoungExecutorShowsItselfOften() {
        assertThat(pace.nextMillis(1, Set.of())).isEqualTo(Pace.OFTEN_MILLIS);
        assertThat(pace.nextMillis(Pace.YOUNG_MILLIS - 1, Set.of())).isEqualTo(Pace.OFTEN_MILLIS);
        assertThat(pace.nextMillis(Pace.YOUNG_MILLIS, Set.of())).isEqualTo(Pace.SELDOM_MILLIS);
    }

    @Test
    void whenOneComesOrGoesAllShowThemselvesOften() {
        Set<String> one = Set.of("a");
        Set<String> two = Set.of("a", "b");
        long later = 10 * Pace.YOUNG_MILLIS;
        assertThat(pace.nextMillis(0, one)).isEqualTo(Pace.OFTEN_MILLIS);
        assertThat(pace.nextMillis(later, one)).isEqualTo(Pace.SELDOM_MILLIS);
        assertThat(pace.nextMillis(later, two)).isEqualTo(Pace.OFTEN_MILLIS);
        assertThat(pace.nextMillis(later + Pace.YOUNG_MILLIS, two)).isEqualTo(Pace.SELDOM_MILLIS);
        assertThat(pace.nextMillis(later + Pace.YOUNG_MILLIS, one)).isEqualTo(Pace.OFTEN_MILLIS);
    }
}
