package dev.tandem.ordering;

import dev.tandem.task.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A partition's tasks that wait in memory: lanes by key, and those without a key. */
final class Lanes {

    private final Map<String, Lane> lanes = new HashMap<>();
    private final ArrayDeque<TaskEntry> unkeyed = new ArrayDeque<>();
    private final ArrayDeque<Lane> ready = new ArrayDeque<>();
    private final ArrayDeque<Lane> parkable = new ArrayDeque<>();
    private final ArrayList<Lane> full = new ArrayList<>();
    /** Tasks that the store offered and that wait here. */
    private final Map<Position, TaskEntry> offered = new HashMap<>();

    Lane lane(String key) {
        return lanes.computeIfAbsent(key, Lane::new);
    }

    @Nullable
    Lane find(@Nullable String key) {
        return key == null ? null : lanes.get(key);
    }

    Collection<Lane> all() {
        return lanes.values();
    }

    /** An entry waits for its turn, at its place in the order. */
    void enter(TaskEntry entry) {
        if (entry.inStore) {
            offered.put(entry.position, entry);
        }
        if (entry.key == null) {
            unkeyed.addLast(entry);
            return;
        }
        Lane lane = lane(entry.key);
        lane.add(entry);
        touch(lane);
    }

    /** An entry from the broker enters; in the place of the one that the store offered of the same task, if there is one. */
    void enterInPlace(TaskEntry entry) {
        TaskEntry offer = offered.remove(entry.position);
        if (offer != null) {
            entry.order = offer.order;
            unkeyed.remove(offer);
            Lane lane = find(offer.key);
            if (lane != null) {
                lane.queue.remove(offer);
            }
        }
        enter(entry);
    }

    /** An entry without a key goes back to where it was. */
    void reenter(TaskEntry entry) {
        if (entry.key == null) {
            if (entry.inStore) {
                offered.put(entry.position, entry);
            }
            unkeyed.addFirst(entry);
        } else {
            enter(entry);
        }
    }

    /** What waits here though the store knows more of it. Returns those that the broker delivered; the store offers the others again. */
    List<TaskEntry> takeOut(Predicate<TaskEntry> known) {
        List<TaskEntry> delivered = new ArrayList<>();
        takeOut(unkeyed, known, delivered);
        all().forEach(lane -> takeOut(lane.queue, known, delivered));
        return delivered;
    }

    private void takeOut(Collection<TaskEntry> waiting, Predicate<TaskEntry> known, List<TaskEntry> delivered) {
        waiting.removeIf(entry -> {
            boolean out = known.test(entry);
            if (out && entry.tracked()) {
                delivered.add(entry);
            }
            if (out) {
                forgetOffered(entry);
            }
            return out;
        });
    }

    boolean isOffered(Position position) {
        return offered.containsKey(position);
    }

    int offeredCount() {
        return offered.size();
    }

    void forgetOffered(TaskEntry entry) {
        offered.remove(entry.position, entry);
    }

    /** Something about the lane changed: looks whether it has work now, or can be forgotten. */
    void touch(Lane lane) {
        if (lane.listed) {
            return;
        }
        if (lane.mayStart()) {
            lane.listed = true;
            ready.addLast(lane);
        } else if (lane.mayPark()) {
            lane.listed = true;
            parkable.addLast(lane);
        } else if (lane.forgettable()) {
            lanes.remove(lane.key, lane);
        }
    }

    boolean hasReady() {
        return !ready.isEmpty() || !unkeyed.isEmpty();
    }

    int readyCount() {
        return ready.size() + unkeyed.size();
    }

    /** The next entry that may be claimed, taken out and its lane busy with it; or null. */
    @Nullable
    TaskEntry pollReady() {
        for (Lane lane = ready.pollFirst(); lane != null; lane = ready.pollFirst()) {
            lane.listed = false;
            if (lane.mayStart()) {
                TaskEntry entry = lane.queue.removeFirst();
                lane.busy = entry;
                lane.claiming = entry;
                return entry;
            }
            touch(lane);
        }
        return unkeyed.pollFirst();
    }

    /** Its claim was answered, or will not be. */
    void claimAnswered(TaskEntry entry) {
        Lane lane = find(entry.key);
        if (lane != null && lane.claiming == entry) {
            lane.claiming = null;
            touch(lane);
        }
    }

    boolean hasParkable() {
        return !parkable.isEmpty();
    }

    /** The entries of one lane that are to be parked next, taken out and counted as on their way; or none. */
    List<TaskEntry> pollParks(int limit) {
        for (Lane lane = parkable.pollFirst(); lane != null; lane = parkable.pollFirst()) {
            lane.listed = false;
            if (lane.mayPark()) {
                List<TaskEntry> taken = lane.takeForParking(limit);
                lane.handing += taken.size();
                return taken;
            }
            touch(lane);
        }
        return List.of();
    }

    void full(Lane lane) {
        if (!lane.full) {
            lane.full = true;
            full.add(lane);
        }
    }

    boolean anyFull() {
        return !full.isEmpty();
    }

    /** Full lanes may try again. */
    void retryFull() {
        for (Lane lane : full) {
            lane.full = false;
            touch(lane);
        }
        full.clear();
    }

    /** All lanes as they are, looked at anew. */
    void touchAll() {
        ready.clear();
        parkable.clear();
        for (Lane lane : new ArrayList<>(lanes.values())) {
            lane.listed = false;
            touch(lane);
        }
    }

    @Override
    public String toString() {
        return lanes.values() + " unkeyed " + unkeyed + " ready " + ready.size() + " parkable " + parkable.size()
                + " offered " + offered.keySet();
    }

    boolean isEmpty() {
        return unkeyed.isEmpty() && lanes.values().stream().allMatch(l -> l.queue.isEmpty());
    }

    void clear() {
        lanes.clear();
        unkeyed.clear();
        ready.clear();
        parkable.clear();
        full.clear();
        offered.clear();
    }
}
