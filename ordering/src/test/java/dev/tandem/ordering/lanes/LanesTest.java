package dev.tandem.ordering.lanes;

import static dev.tandem.ordering.lanes.Entries.delivered;
import static dev.tandem.ordering.lanes.Entries.offered;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Examples of all tasks of a partition that wait in memory. */
class LanesTest {

    private final Lanes lanes = new Lanes(2, null, key -> false);

    @Test
    void eachLaneGivesOneTaskUntilItHasEnded() {
        TaskEntry a = delivered("a", 0);
        TaskEntry next = delivered("a", 1);
        TaskEntry b = delivered("b", 2);
        lanes.enter(a);
        lanes.enter(next);
        lanes.enter(b);
        assertThat(lanes.pollReady()).isSameAs(a);
        assertThat(lanes.pollReady()).isSameAs(b);
        assertThat(lanes.pollReady()).isNull();

        lanes.claimAnswered(a);
        lanes.free(a);
        assertThat(lanes.pollReady()).isSameAs(next);
    }

    @Test
    void tasksWithoutAKeyWaitForNoOther() {
        TaskEntry one = delivered(null, 0);
        TaskEntry two = delivered(null, 1);
        lanes.enter(one);
        lanes.enter(two);

        assertThat(lanes.pollReady()).isSameAs(one);
        assertThat(lanes.pollReady()).isSameAs(two);
    }

    @Test
    void onlyTheLatestBlockedKeysAreRememberedWhileNothingOfThemIsHere() {
        for (String key : List.of("a", "b", "c")) {
            lanes.lane(key).block(delivered(key, 0).position());
            lanes.touch(lanes.lane(key));
        }
        assertThat(lanes.find("a")).isNull();
        assertThat(lanes.find("b")).isNotNull();
        assertThat(lanes.find("c")).isNotNull();
    }

    @Test
    void aKeyWhoseHeadIsAwaitedIsRememberedAmongAnyNumberOfOthers() {
        lanes.lane("a").block(delivered("a", 0).position());
        lanes.lane("a").keepsHead(true);
        for (String key : List.of("a", "b", "c", "d")) {
            lanes.lane(key).block(delivered(key, 0).position());
            lanes.touch(lanes.lane(key));
        }
        assertThat(lanes.find("a")).isNotNull();
        assertThat(lanes.find("b")).isNull();
    }

    @Test
    void theTasksOfABlockedKeyAreParked() {
        TaskEntry follower = delivered("k", 1);
        lanes.lane("k").block(delivered("k", 0).position());

        lanes.enter(follower);

        assertThat(lanes.pollReady()).isNull();
        assertThat(lanes.pollParks(10)).containsExactly(follower);
        assertThat(lanes.lane("k").hasHandOvers()).isTrue();
    }

    @Test
    void aDeliveryTakesThePlaceOfTheOfferOfItsTask() {
        TaskEntry offer = offered("k", 7, 1);
        TaskEntry later = delivered("k", 8);
        lanes.enter(offer);
        lanes.enter(later);

        TaskEntry delivery = delivered("k", 7);
        lanes.enterInPlace(delivery);

        assertThat(lanes.lane("k").waiting()).containsExactly(delivery, later);
        assertThat(delivery.order()).isEqualTo(1);
        assertThat(lanes.offered().find(offer.position())).isNull();
    }

    @Test
    void aFullLaneIsTriedAgainLater() {
        Lane lane = lanes.lane("k");
        lane.block(delivered("k", 0).position());
        lanes.full(lane);
        lanes.enter(delivered("k", 1));
        assertThat(lanes.hasParkable()).isFalse();

        lanes.retryFull(10);
        assertThat(lanes.anyFull()).isFalse();
        assertThat(lanes.hasParkable()).isTrue();
    }

    @Test
    void aLaneWithoutTasksIsForgotten() {
        Lane lane = lanes.lane("k");
        lane.block(delivered("k", 0).position());
        lanes.touch(lane);
        assertThat(lanes.find("k")).isSameAs(lane);

        lane.open();
        lanes.touch(lane);
        assertThat(lanes.find("k")).isNull();
    }
}
