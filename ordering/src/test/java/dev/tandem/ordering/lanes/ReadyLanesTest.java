package dev.tandem.ordering.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order in which lanes with work have their turn. */
class ReadyLanesTest {

    private final ReadyLanes ready = new ReadyLanes();
    private final Lane a = new Lane("a");
    private final Lane b = new Lane("b");
    private final Lane c = new Lane("c");

    @Test
    void lanesHaveTheirTurnInTheOrderInWhichTheyCame() {
        ready.put(a, false);
        ready.put(b, false);
        ready.put(c, false);
        ready.put(a, false);

        assertThat(ready.count()).isEqualTo(3);
        assertThat(polled()).containsExactly(a, b, c);
        assertThat(ready.isEmpty()).isTrue();
    }

    @Test
    void aLaneMayLeaveFromAnywhere() {
        for (Lane leaving : List.of(a, b, c)) {
            ready.put(a, false);
            ready.put(b, false);
            ready.put(c, false);
            ready.remove(leaving);

            assertThat(leaving.isReady()).isFalse();
            assertThat(polled()).hasSize(2).doesNotContain(leaving);
        }
    }

    @Test
    void headsHaveTheirTurnInTheOrderInWhichTheirLanesCame() {
        ready.put(a, false);
        ready.put(b, true);
        ready.put(c, true);
        ready.put(a, true);
        ready.put(b, false);

        assertThat(ready.headCount()).isEqualTo(2);
        assertThat(ready.pollHead()).isSameAs(a);
        assertThat(ready.pollHead()).isSameAs(c);
        assertThat(ready.pollHead()).isNull();
        assertThat(polled()).containsExactly(b);
    }

    private List<Lane> polled() {
        List<Lane> all = new ArrayList<>();
        for (Lane lane = ready.poll(); lane != null; lane = ready.poll()) {
            all.add(lane);
        }
        return all;
    }
}
