package dev.tandem.ordering.lanes;

import dev.tandem.task.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The tasks of one key in memory, and what the owner knows of the key: who runs, and whether the store blocks it. */
public final class Lane extends PacedLane {

    private final String key;
    /** Waiting here and not on the way to the store, by {@link TaskEntry#order}. */
    private final ArrayDeque<TaskEntry> waiting = new ArrayDeque<>();
    /** Claimed, or being claimed, until its outcome is sent. */
    private @Nullable TaskEntry busy;
    /**
     * The entry whose claim has no answer yet. The store may have claimed another task of this key first, and then the entry
     * comes back.
     */
    private @Nullable TaskEntry claiming;
    /** Parks, adoptions and burials without an answer. Until they have one, nothing of this key starts or is parked. */
    private int handOvers;
    /** Outcomes of relayed runs without an answer. Each may be refused, and its task comes before all that wait. */
    private int relayedOutcomes;
    /** Whether tasks of this key must be parked: a guess that the store's answers correct. */
    private boolean blocked;
    /** The task that a blocked key waits for, where known. */
    private @Nullable Position head;
    /**
     * Whether the lane must remember that it is blocked even while it is empty: its head runs elsewhere or must be
     * redelivered, which the store tells only once. A claim tells of any other head.
     */
    private boolean kept;
    /** Whether the store has no room for more of this key. */
    private boolean full;
    /** Whether it had none the last time, so that a single task finds out first. */
    private boolean probing;
    /** Whether {@link Lanes} has the lane in its list of lanes with tasks to park. */
    private boolean listed;
    /** Whether the store may be claiming a due task of this key, so that nothing else of it may start. */
    private boolean held;

    Lane(String key) {
        this.key = key;
    }

    public String key() {
        return key;
    }

    // ---- who runs ----

    public boolean isBusyWith(TaskEntry entry) {
        return busy == entry;
    }

    public void busyWith(TaskEntry entry) {
        busy = entry;
    }

    /** Puts another entry of the same task in the place of the busy one. */
    public void replaceBusy(TaskEntry old, TaskEntry same) {
        if (busy == old) {
            busy = same;
        }
    }

    /** @return whether the entry was the busy one */
    public boolean free(TaskEntry entry) {
        boolean was = busy == entry;
        if (was) {
            busy = null;
        }
        return was;
    }

    void claim(TaskEntry entry) {
        busy = entry;
        claiming = entry;
    }

    /** @return whether it was this entry's claim that had no answer */
    boolean claimAnswered(TaskEntry entry) {
        boolean was = claiming == entry;
        if (was) {
            claiming = null;
        }
        return was;
    }

    // ---- what is on its way to the store ----

    public void handOversSent(int count) {
        handOvers += count;
    }

    public void handOverAnswered() {
        handOvers--;
    }

    public boolean hasHandOvers() {
        return handOvers > 0;
    }

    public void relayedOutcomeQueued() {
        relayedOutcomes++;
    }

    public int relayedOutcomes() {
        return relayedOutcomes;
    }

    /** @return whether one was waiting */
    public boolean relayedOutcomeAnswered() {
        boolean any = relayedOutcomes > 0;
        if (any) {
            relayedOutcomes--;
        }
        return any;
    }

    /** Forgets all that depended on an ownership that is over. What waits stays. */
    public void reacquired() {
        open();
        probing = false;
        handOvers = 0;
        relayedOutcomes = 0;
        busy = null;
        claiming = null;
    }

    // ---- blocked or open ----

    public boolean isBlocked() {
        return blocked;
    }

    public @Nullable Position head() {
        return head;
    }

    public boolean isHead(Position position) {
        return position.equals(head);
    }

    /** All tasks of the key wait for this position. If it is in memory, it is the next. */
    public void block(Position by) {
        kept &= isHead(by);
        blocked = true;
        head = by;
        for (TaskEntry entry : waiting) {
            if (entry.position().equals(by)) {
                waiting.remove(entry);
                waiting.addFirst(entry);
                return;
            }
        }
    }

    public void open() {
        blocked = false;
        head = null;
        kept = false;
        full = false;
        probing = false;
    }

    /** Says whether the lane must remember its head even while it is empty. */
    public void keepsHead(boolean must) {
        kept = must;
    }

    public boolean isFull() {
        return full;
    }

    void full(boolean noRoom) {
        full = noRoom;
        probing = true;
    }

    /** The store had room for a task of this key. */
    public void hasRoom() {
        probing = false;
    }

    // ---- what waits ----

    /** Puts an entry to its place by order. The head of a blocked key goes first, since all others wait for it. */
    public void add(TaskEntry entry) {
        if (blocked && isHead(entry.position())) {
            waiting.addFirst(entry);
        } else if (waiting.isEmpty() || waiting.getLast().order() < entry.order()) {
            waiting.addLast(entry);
        } else if (entry.order() < waiting.getFirst().order()) {
            waiting.addFirst(entry);
        } else {
            List<TaskEntry> all = new ArrayList<>(waiting);
            all.add(entry);
            all.sort(Comparator.comparingLong(TaskEntry::order));
            waiting.clear();
            waiting.addAll(all);
        }
    }

    public @Nullable TaskEntry peek() {
        return waiting.peekFirst();
    }

    /** Takes out the next entry, which must exist. */
    public TaskEntry take() {
        return waiting.removeFirst();
    }

    /** The tasks that wait here, in order. */
    public Collection<TaskEntry> waiting() {
        return waiting;
    }

    /** Takes out the entries that match, in order. */
    public List<TaskEntry> takeIf(Predicate<TaskEntry> matches) {
        List<TaskEntry> taken = new ArrayList<>();
        waiting.removeIf(entry -> matches.test(entry) && taken.add(entry));
        return taken;
    }

    @Override
    public int waitingCount() {
        return waiting.size();
    }

    /** Whether a delivered task with a higher offset waits here. */
    public boolean hasDeliveredBehind(long offset) {
        for (Iterator<TaskEntry> fromLast = waiting.descendingIterator(); fromLast.hasNext(); ) {
            TaskEntry entry = fromLast.next();
            if (entry.isTracked()) {
                return entry.offset() > offset;
            }
        }
        return false;
    }

    /** Whether fewer tasks than that wait here, and the store is not known to be full, nor being asked. */
    public boolean hasRoomFor(int tasks) {
        boolean asked = probing && (handOvers > 0 || !waiting.isEmpty());
        return !full && !asked && waiting.size() < tasks;
    }

    /** Whether an offer may wait here. If not, the store keeps it. @param parks whether tasks are parked at all now */
    boolean takesOffer(TaskEntry entry, boolean parks) {
        return !mustPark(entry) || !entry.mayBeDeclined() || parks && hasRoomFor(Integer.MAX_VALUE);
    }

    /** Takes out the offers that can't be parked now. */
    List<TaskEntry> takeStuckOffers(boolean parks) {
        boolean stuck = blocked && (full || !parks);
        return stuck ? takeIf(entry -> mustPark(entry) && entry.mayBeDeclined() && !entry.isTracked()) : List.of();
    }

    private boolean mustPark(TaskEntry entry) {
        return blocked && !isHead(entry.position());
    }

    /**
     * Takes out delivered entries from the end as long as they match, and leaves at least {@code keep} entries. The last one
     * comes first. Entries that the store offered are left where they are.
     *
     * @param matches is also told whether an offered entry waits behind
     */
    public List<TaskEntry> takeLast(int keep, BiPredicate<TaskEntry, Boolean> matches) {
        List<TaskEntry> taken = new ArrayList<>();
        boolean offeredBehind = false;
        Iterator<TaskEntry> fromLast = waiting.descendingIterator();
        while (waiting.size() > keep && fromLast.hasNext()) {
            TaskEntry entry = fromLast.next();
            if (!entry.isTracked()) {
                offeredBehind = true;
            } else if (matches.test(entry, offeredBehind)) {
                fromLast.remove();
                taken.add(entry);
            } else {
                return taken;
            }
        }
        return taken;
    }

    /** Whether the head waits here, and at the same time in the line of its tenant. */
    private boolean isLedFromLine() {
        return !waiting.isEmpty()
                && waiting.getFirst().isInLine()
                && isHead(waiting.getFirst().position());
    }

    /** Takes the entries to be parked, at most {@code limit}, leaving the head of the key. */
    List<TaskEntry> takeForParking(int limit) {
        int most = probing ? 1 : limit;
        TaskEntry inLine = isLedFromLine() ? waiting.pollFirst() : null;
        List<TaskEntry> taken = new ArrayList<>();
        while (taken.size() < most
                && !waiting.isEmpty()
                && !isHead(waiting.getFirst().position())) {
            taken.add(waiting.removeFirst());
        }
        if (inLine != null) {
            waiting.addFirst(inLine);
        }
        return taken;
    }

    boolean mayStart() {
        if (held || busy != null || claiming != null || handOvers > 0 || waiting.isEmpty()) {
            return false;
        }
        return !blocked || isHead(waiting.getFirst().position());
    }

    /**
     * Whether tasks of the lane can be parked now. An entry that is being claimed has its place before all that wait, and may
     * come back to be parked itself.
     */
    boolean mayPark() {
        return blocked
                && handOvers == 0
                && relayedOutcomes == 0
                && (busy == null || isHead(busy.position()))
                && (claiming == null || isHead(claiming.position()))
                && !full
                && (isLedFromLine()
                        ? waiting.size() > 1
                        : !waiting.isEmpty() && !isHead(waiting.getFirst().position()));
    }

    boolean isForgettable() {
        return isEmpty() && !blocked;
    }

    /** Whether the lane is here only to remember that its key is blocked, which a claim would tell, too. */
    boolean isReminder() {
        return isEmpty() && blocked && !kept;
    }

    /** Whether nothing of the key waits here, runs, or is on its way to the store. */
    boolean isEmpty() {
        return busy == null && claiming == null && handOvers == 0 && relayedOutcomes == 0 && waiting.isEmpty();
    }

    boolean isListed() {
        return listed;
    }

    void listed(boolean inAList) {
        listed = inAList;
    }

    void held(boolean untilAnswer) {
        held = untilAnswer;
    }

    @Override
    public String toString() {
        return key + (blocked ? " blocked by " + head : " open") + " busy=" + busy + " hand-overs=" + handOvers
                + waiting;
    }
}
