package dev.tandem.ordering.lanes;

import dev.tandem.task.FairPolicy;
import dev.tandem.task.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The tasks of a partition that wait in memory: lanes by key, and those without a key. */
public final class Lanes {

    private final Map<String, Lane> lanes = new HashMap<>();
    private final ReminderLanes reminders;
    private final ReadyTasks ready;
    private final ArrayDeque<Lane> parkable = new ArrayDeque<>();
    private final FullLanes full = new FullLanes();
    private final OfferedTasks offered = new OfferedTasks();
    private final FreshGate fresh = new FreshGate();
    private final Predicate<String> mayBeBlocked;
    private Consumer<Lane> touched = lane -> {};
    private final HeldLanes held = new HeldLanes();

    /**
     * @param maxReminders how many blocked keys without a task in memory are remembered, so that the next is parked at once
     * @param fair how tenants take turns; null if there are none
     * @param mayBeBlocked whether an open key may be blocked in the store. It may change before {@link #touchAll} only
     */
    public Lanes(int maxReminders, @Nullable FairPolicy fair, Predicate<String> mayBeBlocked) {
        this.ready = new ReadyTasks(fair);
        this.reminders = new ReminderLanes(maxReminders);
        this.mayBeBlocked = mayBeBlocked;
    }

    /** Tells somebody of each change of a lane that {@link #touch} hears of, before the lane may be forgotten. */
    public void onTouch(Consumer<Lane> listener) {
        touched = listener;
    }

    public Lane lane(String key) {
        return lanes.computeIfAbsent(key, this::newLane);
    }

    private Lane newLane(String key) {
        Lane lane = new Lane(key);
        held.holdNew(lane);
        return lane;
    }

    public @Nullable Lane find(@Nullable String key) {
        return key == null ? null : lanes.get(key);
    }

    /** Whether nothing of the key is here, and the store does not claim anything of it just now. */
    public boolean isIdle(String key) {
        Lane lane = lanes.get(key);
        return !held.isHolding() && (lane == null || lane.isForgettable());
    }

    public Collection<Lane> all() {
        return lanes.values();
    }

    /** Lets an entry wait for its turn, at its place in the order. */
    public void enter(TaskEntry entry) {
        if (entry.isInStore()) {
            offered.add(entry);
        }
        if (entry.key() == null) {
            ready.addLast(entry);
            return;
        }
        Lane lane = lane(entry.key());
        lane.add(entry);
        touch(lane);
    }

    /** Lets a delivered entry wait, in the place of the offered entry of the same task if there is one. */
    public void enterInPlace(TaskEntry entry) {
        TaskEntry offer = takeOffer(entry.position());
        if (offer != null) {
            entry.order(offer.order());
        }
        enter(entry);
    }

    /** Takes out the waiting offer of a task, if there is one. */
    public @Nullable TaskEntry takeOffer(Position position) {
        TaskEntry offer = offered.find(position);
        if (offer != null) {
            forgetOffered(offer);
            takeOut(offer);
        }
        return offer;
    }

    /** Lets an entry wait again where it waited before. */
    public void reenter(TaskEntry entry) {
        if (entry.key() == null) {
            if (entry.isInStore()) {
                offered.add(entry);
            }
            ready.addFirst(entry);
        } else {
            Lane lane = find(entry.key());
            if (lane != null) {
                lane.free(entry);
            }
            enter(entry);
        }
    }

    /** Takes out an entry that waits for its turn. @return whether it did */
    public boolean takeOut(TaskEntry entry) {
        Lane lane = find(entry.key());
        return entry.key() == null
                ? ready.remove(entry) || fresh.unkeyed().remove(entry)
                : lane != null && lane.waiting().remove(entry);
    }

    /** Removes entries whose state the store knows better. @return the delivered ones. The store offers the others again */
    public List<TaskEntry> takeOut(Predicate<TaskEntry> known) {
        List<TaskEntry> delivered = new ArrayList<>();
        ready.takeOut(unkeyed -> takeOut(unkeyed, known, delivered));
        takeOut(fresh.unkeyed(), known, delivered);
        all().forEach(lane -> takeOut(lane.waiting(), known, delivered));
        return delivered;
    }

    private void takeOut(Collection<TaskEntry> waiting, Predicate<TaskEntry> known, List<TaskEntry> delivered) {
        waiting.removeIf(entry -> {
            boolean out = known.test(entry);
            if (out && entry.isTracked()) {
                delivered.add(entry);
            }
            if (out) {
                forgetOffered(entry);
            }
            return out;
        });
    }

    /** Ends the entry's turn, if it is its lane's busy one. */
    public void free(TaskEntry entry) {
        Lane lane = find(entry.key());
        if (lane != null && lane.free(entry)) {
            touch(lane);
        }
    }

    // ---- offered by the store ----

    /** Returns the tasks that the store offered and that wait here. */
    public OfferedTasks offered() {
        return offered;
    }

    public void forgetOffered(TaskEntry entry) {
        offered.forget(entry);
    }

    /** Lets an offered task wait for its turn, or gives it back if it could not be parked: it would take the place of other keys. */
    public void enterOffer(TaskEntry entry) {
        Lane lane = find(entry.key());
        if (lane == null || lane.takesOffer(entry, fresh.isOpen())) {
            enter(entry);
        } else {
            offered.decline(entry);
        }
    }

    /** Gives back what was offered of a lane and can't be parked. */
    public void declineOffers(Lane lane) {
        List<TaskEntry> stuck = offered.isEmpty() ? List.of() : lane.takeStuckOffers(fresh.isOpen());
        if (!stuck.isEmpty()) {
            stuck.forEach(offered::decline);
            touch(lane);
        }
    }

    /** Gives back all that was offered and can't be parked. */
    public void declineOffers() {
        for (String key : offered.keys()) {
            Lane lane = find(key);
            if (lane != null) {
                declineOffers(lane);
            }
        }
    }

    /** Takes offers that are to be given back, at most so many. */
    public List<TaskEntry> takeDeclined(int limit) {
        return offered.takeDeclined(limit);
    }

    // ---- due tasks of idle keys ----

    /**
     * Holds all lanes but those with something in them, so that the store may claim due tasks of their keys.
     *
     * @param known keys that are busy in any case
     * @return all busy keys. Null if there are more than {@code most}: then no lane is held
     */
    public @Nullable List<String> holdIdle(int most, Collection<String> known) {
        return held.holdIdle(lanes.values(), most, known);
    }

    /** Lets lanes go on that are held. */
    public void release() {
        held.release(lane -> {
            if (lanes.get(lane.key()) == lane) {
                touch(lane);
            }
        });
    }

    // ---- lanes with work ----

    /** To be called when something about the lane changed: lists it if it has work now, and forgets it if it is empty. */
    public void touch(Lane lane) {
        touched.accept(lane);
        if (lane.isListed()) {
            return;
        }
        if (lane.mayStart()) {
            ready.put(lane, lane.isBlocked() || mayBeBlocked.test(lane.key()));
            if (!lane.mayPark() || !fresh.isOpen()) {
                return;
            }
        } else if (lane.isReady()) {
            ready.remove(lane);
        }
        if (lane.mayPark() && !fresh.isOpen()) {
            fresh.keep(lane);
        } else if (lane.mayPark()) {
            lane.listed(true);
            parkable.addLast(lane);
        } else if (lane.isForgettable()) {
            lanes.remove(lane.key(), lane);
            reminders.remove(lane);
        } else if (lane.isReminder()) {
            Lane forgotten = reminders.add(lane);
            if (forgotten != null) {
                lanes.remove(forgotten.key(), forgotten);
            }
        }
    }

    /** To be called when the lane's key was blocked or opened: it may not be ready any more, or otherwise than it was. */
    public void changed(Lane lane) {
        if (lane.isReady()) {
            touch(lane);
        }
    }

    /** Lists all lanes anew. */
    public void touchAll() {
        ready.clearLanes();
        parkable.clear();
        reminders.clear();
        for (Lane lane : new ArrayList<>(lanes.values())) {
            lane.listed(false);
            touch(lane);
        }
    }

    public boolean hasReady() {
        return !ready.isEmpty();
    }

    /** Passes on tasks that could start, or that are kept back, about as many as named: those that came first. */
    public void forSomeFirst(int most, Consumer<TaskEntry> receiver) {
        fresh.forSomeFirst(most, receiver);
        ready.forSomeFirst(most, receiver);
    }

    /** Lets fresh tasks start and be parked, or keeps them back, except those for which stored tasks wait. */
    public void admitFresh(boolean now) {
        if (now && !fresh.isOpen()) {
            fresh.open(this::touch, ready::addFirst);
        } else if (!now && fresh.isOpen()) {
            fresh.close();
            for (Lane lane = parkable.pollFirst(); lane != null; lane = parkable.pollFirst()) {
                lane.listed(false);
                touch(lane);
            }
        }
    }

    public boolean admitsFresh() {
        return fresh.isOpen();
    }

    /** Whether any task could start or be parked that is kept back. */
    public boolean keepsFreshBack() {
        return !fresh.isEmpty();
    }

    /** How many entries may be claimed whose failure blocks no further key: of keys that are or may be blocked, or without a key. */
    public int readyHeads() {
        return ready.headCount();
    }

    /** As {@link #pollReady}, for the entries that {@link #readyHeads} counts. */
    public @Nullable TaskEntry pollReadyHead() {
        return firstStart(true);
    }

    /** Takes out the next entry that may be claimed, and makes its lane busy with it. Null if there is none. */
    public @Nullable TaskEntry pollReady() {
        return firstStart(false);
    }

    private @Nullable TaskEntry firstStart(boolean heads) {
        for (ReadyTasks.Next next = ready.poll(heads); next != null; next = ready.poll(heads)) {
            Lane lane = next.lane();
            TaskEntry unkeyed = next.unkeyed();
            if (lane == null) {
                if (unkeyed != null && fresh.admits(unkeyed)) {
                    return unkeyed;
                }
            } else if (!lane.mayStart()) {
                touch(lane);
            } else if (fresh.admits(lane, !offered.isEmpty())) {
                TaskEntry entry = lane.take();
                lane.claim(entry);
                return entry;
            }
        }
        return null;
    }

    /** Returns what may be claimed next, to be asked about priorities and tenants. */
    public ReadyTasks ready() {
        return ready;
    }

    /** To be called when the entry's claim was answered, or will not be. */
    public void claimAnswered(TaskEntry entry) {
        Lane lane = find(entry.key());
        if (lane != null && lane.claimAnswered(entry)) {
            touch(lane);
        }
    }

    public boolean hasParkable() {
        return !parkable.isEmpty();
    }

    /** Takes out the entries of one lane that are to be parked next, and counts them as on their way. */
    public List<TaskEntry> pollParks(int limit) {
        for (Lane lane = parkable.pollFirst(); lane != null; lane = parkable.pollFirst()) {
            lane.listed(false);
            if (lane.mayPark()) {
                List<TaskEntry> taken = lane.takeForParking(limit);
                lane.handOversSent(taken.size());
                return taken;
            }
            touch(lane);
        }
        return List.of();
    }

    // ---- lanes that the store has no room for ----

    public void full(Lane lane) {
        full.add(lane);
    }

    public boolean anyFull() {
        return !full.isEmpty();
    }

    /** Lets full lanes try again, at most so many: those that have waited longest. */
    public void retryFull(int limit) {
        full.take(limit).forEach(this::touch);
    }

    public void clear() {
        lanes.clear();
        reminders.clear();
        fresh.clear();
        ready.clear();
        parkable.clear();
        full.clear();
        offered.clear();
        held.clear();
    }

    @Override
    public String toString() {
        return lanes.values() + " " + ready + " parkable " + parkable.size() + " offered " + offered;
    }
}
