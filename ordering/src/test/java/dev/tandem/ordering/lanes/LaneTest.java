package dev.tandem.ordering.lanes;

import static dev.tandem.ordering.lanes.Entries.delivered;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Examples of one key's tasks in the owner's memory. */
class LaneTest {

    private final Lane lane = new Lane("k");
    private final TaskEntry first = delivered("k", 0);
    private final TaskEntry second = delivered("k", 1);
    private final TaskEntry third = delivered("k", 2);

    @Test
    void entriesHaveTheirPlaceByOrder() {
        lane.add(first);
        lane.add(third);
        lane.add(second);

        assertThat(lane.waiting()).containsExactly(first, second, third);
    }

    @Test
    void aLaneStartsNothingWhileItIsBusy() {
        lane.add(second);
        assertThat(lane.mayStart()).isTrue();

        lane.busyWith(first);
        assertThat(lane.mayStart()).isFalse();
    }

    @Test
    void aBlockedLaneStartsOnlyItsHead() {
        lane.add(first);
        lane.add(second);

        lane.block(second.position());

        assertThat(lane.waiting()).containsExactly(second, first);
        assertThat(lane.mayStart()).isTrue();
        lane.take();
        assertThat(lane.mayStart()).isFalse();
    }

    @Test
    void aBlockedLaneParksItsTasksButNotItsHead() {
        lane.block(third.position());
        lane.add(first);
        lane.add(second);
        assertThat(lane.mayPark()).isTrue();
        assertThat(lane.takeForParking(10)).containsExactly(first, second);

        lane.add(third);
        assertThat(lane.mayPark()).isFalse();
        assertThat(lane.takeForParking(10)).isEmpty();
    }

    @Test
    void nothingStartsOrIsParkedWhileAHandOverIsOnItsWay() {
        lane.add(second);
        lane.handOversSent(1);
        assertThat(lane.mayStart()).isFalse();

        lane.block(first.position());
        assertThat(lane.mayPark()).isFalse();

        lane.handOverAnswered();
        assertThat(lane.mayPark()).isTrue();
    }
}
