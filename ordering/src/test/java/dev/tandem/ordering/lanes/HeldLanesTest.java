package dev.tandem.ordering.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lanes in which nothing starts while the store may be claiming a due task of theirs. */
class HeldLanesTest {

    private final HeldLanes held = new HeldLanes();
    private final Lane empty = new Lane("e");
    private final Lane busy = new Lane("b");

    HeldLanesTest() {
        busy.add(Entries.delivered("b", 1));
    }

    @Test
    void emptyLanesAreHeldAndTheOthersAreNamed() {
        assertThat(held.holdIdle(List.of(empty, busy), 2, List.of("x"))).containsExactly("x", "b");

        assertThat(starts(empty)).isFalse();
        assertThat(starts(busy)).isTrue();
    }

    @Test
    void laneThatIsMadeMeanwhileIsHeldUntilTheRelease() {
        held.holdIdle(List.of(), 2, List.of());
        held.holdNew(empty);
        assertThat(starts(empty)).isFalse();

        List<Lane> released = new ArrayList<>();
        held.release(released::add);

        assertThat(released).containsExactly(empty);
        assertThat(empty.mayStart()).isTrue();
        Lane later = new Lane("l");
        held.holdNew(later);
        assertThat(starts(later)).isTrue();
    }

    @Test
    void noLaneIsHeldIfTooManyHaveTasks() {
        assertThat(held.holdIdle(List.of(empty, busy), 1, List.of("x"))).isNull();

        held.holdNew(empty);
        assertThat(starts(empty)).isTrue();
    }

    private static boolean starts(Lane lane) {
        if (lane.waitingCount() == 0) {
            lane.add(Entries.delivered(lane.key(), 2));
        }
        return lane.mayStart();
    }
}
