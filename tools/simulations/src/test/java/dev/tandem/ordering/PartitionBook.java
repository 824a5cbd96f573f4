package dev.tandem.ordering;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreRequest.ClaimDue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All that the oracle has seen of one partition of a log. */
final class PartitionBook {
    final Map<Position, SeenTask> seen = new HashMap<>();
    final Map<String, List<SeenTask>> byKey = new HashMap<>();
    /** The highest token under which a task of each key has begun. */
    final Map<String, Long> tokens = new HashMap<>();
    /** Tasks that were claimed under each token. */
    final Map<Long, Position> claimed = new HashMap<>();
    /** Where each incarnation begins. */
    final Map<Long, Long> starts = new HashMap<>();
    /** The log of each incarnation. */
    final Map<Long, List<@Nullable SimTask>> logs = new HashMap<>();
    /** Tasks of former logs of the same incarnations. */
    final FormerTasks former = new FormerTasks();
    /** Positions that, as the store told the owner, its keys wait for. */
    final Set<Position> heads = new HashSet<>();
    /** Tasks that succeed by the request that is being applied, if it is recorded. */
    final List<SeenTask> succeeding = new ArrayList<>();

    /** The last place that was given when a request for due tasks was sent. */
    final Map<ClaimDue, Long> askedAt = new IdentityHashMap<>();

    @Nullable
    SimProcess owner;

    long epoch;
    long incarnation;
    /** All offsets below it were once delivered to an owner. */
    long highWater;
    /** All offsets below it were delivered to this owner since it has its memory. */
    long next;
    /** The last place that was given. */
    long entries;

    /** How often an operator began a new incarnation. */
    int operated;
    /** How often the log was cut. */
    int cuts;
    /** The store's incarnation before the request that is being applied. */
    long incarnationBefore;
    /** The store forgot something, and another process acquired the partition after that. */
    boolean forgotAndTaken;
    /** The store forgot an incarnation: its positions are new ones now. */
    boolean forgotIncarnation;

    /** Returns the next place in the order of arrivals. */
    long nextPlace() {
        return ++entries;
    }

    void add(SeenTask task) {
        task.retired = false;
        seen.put(task.position, task);
        if (task.task.key != null && !task.task.unreadable) {
            byKey.computeIfAbsent(task.task.key, key -> new ArrayList<>()).add(task);
        }
    }

    void enter(SeenTask seen) {
        if (seen.entered < 0) {
            long known = seen.offeredAt >= 0 ? seen.offeredAt : seen.deliveredAt;
            seen.entered = known >= 0 ? known : nextPlace();
            if (known < 0 && seen.enteredAtBest >= 0) {
                seen.knownEarlier = LanePlaces.earlier(seen.knownEarlier, seen.enteredAtBest);
            }
        }
    }

    /** An incarnation goes on with another log, since nobody knows what is not the same in it. */
    void goesOn(long number, List<@Nullable SimTask> log) {
        if (names(number, log)) {
            former.retire(this, each -> isGone(each, number, log));
        }
    }

    private static boolean isGone(SeenTask each, long number, List<@Nullable SimTask> log) {
        int offset = (int) each.task.offset;
        return each.incarnation == number && (offset >= log.size() || log.get(offset) != each.task);
    }

    /** Gives an incarnation its log. Returns whether it had another one. */
    private boolean names(long number, List<@Nullable SimTask> log) {
        List<@Nullable SimTask> before = logs.put(number, log);
        if (before != null && before != log) {
            former.hadLog(number, before);
        }
        return before != log;
    }

    /**
     * Looks at an incarnation, which may begin just now. The store may have given its number to another log before, and
     * forgotten that. What is the same in both stays known: runs of it go on, and their outcomes come late.
     */
    void begin(long number, List<@Nullable SimTask> log, long start) {
        if (names(number, log)) {
            starts.remove(number);
            former.retire(this, each -> isGone(each, number, log));
        }
        starts.putIfAbsent(number, start);
        boolean begins = number != incarnationBefore;
        if (begins) {
            seen.values().stream().filter(each -> each.incarnation == number).forEach(each -> each.successAt = -1);
        }
        forgotIncarnation |= number < incarnation || begins && number == incarnation;
        incarnation = number;
    }
}
