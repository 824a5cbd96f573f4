package dev.tandem.ordering.lanes;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lanes of idle keys, in which nothing starts while the store may be claiming a due task of theirs. */
final class HeldLanes {

    private final List<Lane> lanes = new ArrayList<>();
    private boolean holding;

    /** Holds the empty ones of these lanes, and those that are made from now on. See {@link Lanes#holdIdle}. */
    @Nullable
    List<String> holdIdle(Collection<Lane> all, int most, Collection<String> known) {
        List<String> busy = new ArrayList<>(known);
        for (Lane lane : all) {
            if (!lane.isEmpty()) {
                busy.add(lane.key());
            }
            if (busy.size() > most) {
                return null;
            }
        }
        holding = true;
        all.stream().filter(Lane::isEmpty).forEach(this::holdNew);
        return busy;
    }

    /** Holds a lane that has nothing in it yet, if lanes are held now. */
    void holdNew(Lane lane) {
        if (holding) {
            lane.held(true);
            lanes.add(lane);
        }
    }

    boolean isHolding() {
        return holding;
    }

    /** Lets all lanes go on, and gives each of them to {@code released}. */
    void release(Consumer<Lane> released) {
        holding = false;
        for (Lane lane : lanes) {
            lane.held(false);
            released.accept(lane);
        }
        lanes.clear();
    }

    void clear() {
        holding = false;
        lanes.clear();
    }
}
