package dev.tandem.task.store;

import dev.tandem.task.Envelope;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of one partition, each in the one place that shows its state.
 *
 * <p>Every change of a state is made by a method of this class, which checks it against the table of
 * {@link TaskState}. So all conformance tests and all simulations check that table.
 */
final class ModelTasks {

    /** The bits of a place that number the tasks within a line. */
    private static final int LINE_BITS = 36;

    private final Map<Position, StoredClaim> claims = new LinkedHashMap<>();
    private final Map<Position, StoredEnvelope> envelopes = new HashMap<>();
    private final Map<String, Deque<Position>> lanes = new LinkedHashMap<>();
    private final Map<Position, StoredEnvelope> dead = new LinkedHashMap<>();
    private DueSet scheduled = new DueSet();
    private DueSet retry = new DueSet();
    private long succeeded;
    /** The number of the last task that joined a line. */
    private long lastInLine;

    ModelTasks copy() {
        ModelTasks copy = new ModelTasks();
        copy.lastInLine = lastInLine;
        copy.claims.putAll(claims);
        copy.envelopes.putAll(envelopes);
        lanes.forEach((key, lane) -> copy.lanes.put(key, new ArrayDeque<>(lane)));
        copy.dead.putAll(dead);
        copy.scheduled = scheduled.copy();
        copy.retry = retry.copy();
        copy.succeeded = succeeded;
        return copy;
    }

    // Reading

    /** Returns a task's state. A task that the store has no record of counts as delivered. */
    TaskState state(Position position) {
        if (claims.containsKey(position)) {
            return TaskState.ACTIVE;
        }
        if (envelopes.containsKey(position)) {
            return scheduled.contains(position)
                    ? TaskState.SCHEDULED
                    : retry.contains(position) ? TaskState.RETRY : TaskState.PARKED;
        }
        return dead.containsKey(position) ? TaskState.DEAD : TaskState.DELIVERED;
    }

    Map<Position, StoredClaim> claims() {
        return claims;
    }

    @Nullable
    StoredClaim claim(Position position) {
        return claims.get(position);
    }

    boolean isClaimed(Position position) {
        return claims.containsKey(position);
    }

    /** Whether the store has custody of this unfinished task. */
    boolean holds(Position position) {
        return envelopes.containsKey(position);
    }

    Set<Position> held() {
        return envelopes.keySet();
    }

    /** Bytes of the envelopes. The real store takes somewhat more for them. */
    long heldBytes() {
        return envelopes.values().stream()
                .mapToLong(each -> each.bytes().length)
                .sum();
    }

    @Nullable
    StoredEnvelope envelope(Position position) {
        return envelopes.get(position);
    }

    @Nullable
    StoredEnvelope heldOrDeadEnvelope(Position position) {
        return envelopes.getOrDefault(position, dead.get(position));
    }

    boolean isDead(Position position) {
        return dead.containsKey(position);
    }

    Set<Position> dead() {
        return dead.keySet();
    }

    long succeeded() {
        return succeeded;
    }

    List<Position> lane(String key) {
        Deque<Position> lane = lanes.get(key);
        return lane == null ? List.of() : List.copyOf(lane);
    }

    int laneSize(String key) {
        Deque<Position> lane = lanes.get(key);
        return lane == null ? 0 : lane.size();
    }

    Set<String> lanes() {
        return lanes.keySet();
    }

    int parked() {
        return lanes.values().stream().mapToInt(Deque::size).sum();
    }

    boolean isScheduledOrRetry(Position position) {
        return scheduled.contains(position) || retry.contains(position);
    }

    /** Returns the tasks that are due, by due time; on a tie tasks in retry come first. */
    List<DueSet.Entry> dueAt(long now) {
        List<DueSet.Entry> due = new ArrayList<>(retry.dueAt(now));
        due.addAll(scheduled.dueAt(now));
        due.sort(Comparator.comparingLong(DueSet.Entry::dueAt));
        return due;
    }

    /** Returns the due time of a task that is scheduled or in retry; -1 if it is neither. */
    long dueTime(Position position) {
        return Math.max(scheduled.dueTime(position), retry.dueTime(position));
    }

    /** Returns the earliest due time; {@link Long#MAX_VALUE} if nothing waits for its time. */
    long earliestDue() {
        return Math.min(scheduled.earliest(), retry.earliest());
    }

    // Changes that are no step from one state to another

    /** Gives a claim a lease of its own, or moves the end of it. */
    void extendClaim(StoredClaim claim, long lease) {
        claims.put(claim.position(), claim.withLease(lease));
    }

    /** Moves the due time of a task that is scheduled or in retry. */
    void postpone(Position position, long dueAt) {
        (retry.contains(position) ? retry : scheduled).put(position, dueAt);
    }

    /** Removes a due time whose task the store does not hold. */
    void dropDueTime(Position position) {
        (retry.contains(position) ? retry : scheduled).remove(position);
    }

    /** Takes custody of a claimed task, which stays active. */
    void adopt(Position position, StoredEnvelope envelope) {
        if (!claims.containsKey(position)) {
            throw new AssertionError("Only a claimed task can be adopted, but " + position + " is " + state(position));
        }
        envelopes.put(position, envelope);
    }

    /** Returns the first task of a lane, after removing entries whose task the store does not hold. */
    @Nullable
    Position firstOfLane(String key) {
        Deque<Position> lane = lanes.get(key);
        while (lane != null && !lane.isEmpty() && !envelopes.containsKey(lane.peek())) {
            takeOutOfLane(key, lane.peek());
        }
        return lane == null ? null : lane.peek();
    }

    /** Forgets all tasks of a lane: the mistake of {@link StoreModel.Flaw#DROP_FOLLOWERS}. */
    void forgetLane(String key) {
        Deque<Position> lane = lanes.remove(key);
        if (lane != null) {
            lane.forEach(envelopes::remove);
        }
    }

    // Steps from one state to another

    /** Makes a task active under this claim, which replaces one that is there. */
    void activate(StoredClaim claim) {
        Position position = claim.position();
        TaskState from = checked(position, TaskState.ACTIVE);
        if (from != TaskState.ACTIVE) {
            leave(position, from);
        }
        claims.put(position, claim);
    }

    void schedule(Position position, StoredEnvelope envelope, long dueAt) {
        leave(position, checked(position, TaskState.SCHEDULED));
        envelopes.put(position, envelope);
        scheduled.put(position, dueAt);
    }

    /** Lets a task wait at the end of a line. */
    void joinLine(Position position, StoredEnvelope envelope, int line) {
        lastInLine = hasLines() ? lastInLine + 1 : 1;
        schedule(position, envelope, lineFrom(line) + lastInLine);
    }

    private static long lineFrom(int line) {
        return DueSet.FIRST_PLACE + ((long) line << LINE_BITS);
    }

    boolean hasLines() {
        return !line(0, ReadLines.LINES).isEmpty();
    }

    /** Returns the tasks of some lines, in order. */
    List<DueSet.Entry> line(int from, int to) {
        return scheduled.between(lineFrom(from), lineFrom(to));
    }

    /** Returns the line in which a place is. */
    static int lineOf(long place) {
        return (int) (place - DueSet.FIRST_PLACE >> LINE_BITS);
    }

    void retry(Position position, StoredEnvelope envelope, long dueAt) {
        leave(position, checked(position, TaskState.RETRY));
        envelopes.put(position, envelope);
        retry.put(position, dueAt);
    }

    /** Moves a task that the store holds to retry. */
    void retryHeld(Position position, long dueAt) {
        retry(position, envelopes.get(position), dueAt);
    }

    void park(String key, Position position, StoredEnvelope envelope) {
        leave(position, checked(position, TaskState.PARKED));
        envelopes.put(position, envelope);
        lanes.computeIfAbsent(key, k -> new ArrayDeque<>()).add(position);
    }

    /** Parks a task that has begun before: it precedes all others of its lane. */
    void parkInFront(String key, Position position, StoredEnvelope envelope) {
        leave(position, checked(position, TaskState.PARKED));
        envelopes.put(position, envelope);
        lanes.computeIfAbsent(key, k -> new ArrayDeque<>()).addFirst(position);
    }

    /** Ends the claim of a task that the store does not hold: the broker still has custody. */
    void returnToBroker(Position position) {
        leave(position, checked(position, TaskState.DELIVERED));
    }

    void end(Position position, TaskEnd end) {
        leave(position, checked(position, end.state()));
        envelopes.remove(position);
        succeeded++;
    }

    void die(Position position, StoredEnvelope envelope) {
        leave(position, checked(position, TaskState.DEAD));
        envelopes.remove(position);
        dead.put(position, envelope);
    }

    /** Keeps an unreadable message among the dead. A claim of its position, which the core never makes, would stay. */
    void bury(Position position, StoredEnvelope envelope) {
        checked(position, TaskState.DEAD);
        dead.put(position, envelope);
    }

    /** Does what an operator's retry does: the dead task is due now, and counts as never tried. */
    void retryDead(String queue, Position position, long now) {
        Envelope last = Envelope.decode(queue, dead.remove(position).bytes());
        Envelope anew = new Envelope(last.task(), 0, last.token(), last.error());
        retry(position, StoredEnvelope.of(queue, anew.encode()), now);
    }

    /** Returns the task's state, having checked that it may become the given one. To stay in a state is no step. */
    private TaskState checked(Position position, TaskState to) {
        TaskState from = state(position);
        if (from != to && !from.mayBecome(to)) {
            throw new AssertionError("Task " + position + " went from " + from + " to " + to
                    + ", which the table of TaskState does not allow");
        }
        return from;
    }

    private void leave(Position position, TaskState from) {
        switch (from) {
            case ACTIVE -> claims.remove(position);
            case SCHEDULED -> scheduled.remove(position);
            case RETRY -> retry.remove(position);
            case PARKED -> takeOutOfLane(envelopes.get(position).key(), position);
            // Only an operator takes a task from among the dead.
            case DELIVERED, DEAD, SUCCEEDED, CANCELLED -> {}
        }
    }

    private void takeOutOfLane(@Nullable String key, Position position) {
        Deque<Position> lane = key == null ? null : lanes.get(key);
        if (lane != null && lane.remove(position) && lane.isEmpty()) {
            lanes.remove(key);
        }
    }

    // What a simulation checks

    /**
     * Returns violations of these rules: each held task is in exactly one place, lanes exist only behind blocked keys,
     * and the places name no task that is not held. Empty if there are none.
     */
    List<String> faults(Set<String> blockedKeys) {
        List<String> faults = new ArrayList<>();
        Map<Position, Integer> places = new HashMap<>();
        scheduled.positions().forEach(position -> places.merge(position, 1, Integer::sum));
        retry.positions().forEach(position -> places.merge(position, 1, Integer::sum));
        lanes.forEach((key, lane) -> {
            lane.forEach(position -> places.merge(position, 1, Integer::sum));
            if (!lane.isEmpty() && !blockedKeys.contains(key)) {
                faults.add("the lane of " + key + " has tasks, but the key is not blocked");
            }
        });
        envelopes.keySet().forEach(position -> {
            int count = places.getOrDefault(position, 0) + (claims.containsKey(position) ? 1 : 0);
            if (count != 1) {
                faults.add(position + " is held in " + count + " places");
            }
        });
        places.forEach((position, count) -> {
            if (!envelopes.containsKey(position)) {
                faults.add(position + " is in a place, but not held");
            }
        });
        return faults;
    }
}
