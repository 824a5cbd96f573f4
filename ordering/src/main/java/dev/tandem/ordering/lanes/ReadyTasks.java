package dev.tandem.ordering.lanes;

import dev.tandem.task.FairPolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that may be claimed next: lanes, by their next tasks, and tasks without a key. A higher priority comes first. Of one
 * priority, tenants take turns by their weights. Within a tenant they come in the order in which they may start, lanes before tasks
 * without a key. Without priorities and tenants there is one group only.
 */
public final class ReadyTasks {

    /** The amount that a start adds to the pass of a tenant of the weight 1. */
    private static final long START = 1L << 20;

    /** The number of empty groups that are remembered at least. */
    private static final int REMEMBERED = 1_000;

    private record Name(int priority, String tenant) {}

    private final @Nullable FairPolicy fair;
    private final ReadyGroup plain = new ReadyGroup(0, FairPolicy.NO_TENANT, 0);
    /** The groups other than {@link #plain}. */
    private final Map<Name, ReadyGroup> groups = new HashMap<>();
    /** The groups that have tasks. The plain one is here only if there are others, or tenants. */
    private final TreeSet<ReadyGroup> listed = new TreeSet<>(ReadyGroup::compare);
    /** The pass of the group that started last, by priority. */
    private final long[] passes = new long[TaskEntry.PRIORITIES];

    private long numbers;

    /** @param fair null if there are no tenants */
    ReadyTasks(@Nullable FairPolicy fair) {
        this.fair = fair;
    }

    // ---- groups ----

    private ReadyGroup groupOf(TaskEntry entry) {
        String tenant = fair == null ? FairPolicy.NO_TENANT : fair.tenantOf(entry.requireTask());
        if (entry.priority() == 0 && tenant.equals(FairPolicy.NO_TENANT)) {
            return plain;
        }
        Name name = new Name(entry.priority(), tenant);
        ReadyGroup group = groups.get(name);
        if (group == null) {
            forgetSome();
            group = new ReadyGroup(entry.priority(), tenant, ++numbers);
            groups.put(name, group);
        }
        return group;
    }

    private void forgetSome() {
        if (groups.size() > REMEMBERED + 2 * listed.size()) {
            groups.values().removeIf(group -> !group.listed);
        }
    }

    /** Lists a group that has got something, or takes out one that has nothing any more. */
    private void update(ReadyGroup group) {
        if (group.listed == group.isEmpty()) {
            if (group.listed) {
                listed.remove(group);
            } else {
                group.pass = Math.max(group.pass, passes[group.priority]);
                listed.add(group);
            }
            group.listed = !group.listed;
        }
    }

    /** Counts a start. */
    private void charge(ReadyGroup group) {
        if (fair == null) {
            return;
        }
        boolean was = group.listed;
        if (was) {
            listed.remove(group);
        }
        passes[group.priority] = Math.max(passes[group.priority], group.pass);
        group.pass += START / fair.weightOf(group.tenant);
        if (was) {
            listed.add(group);
        }
    }

    /** Returns the group whose turn it is. @param heads whether it must have a head, or a task without a key */
    private @Nullable ReadyGroup next(boolean heads) {
        if (!heads) {
            return listed.isEmpty() ? null : listed.first();
        }
        for (ReadyGroup group : listed) {
            if (group.headCount() > 0) {
                return group;
            }
        }
        return null;
    }

    // ---- counts ----

    boolean isEmpty() {
        return listed.isEmpty();
    }

    public int count() {
        int count = 0;
        for (ReadyGroup group : listed) {
            count += group.count();
        }
        return count;
    }

    /** Counts the lanes that begin with heads, and the tasks without a key. */
    int headCount() {
        int count = 0;
        for (ReadyGroup group : listed) {
            count += group.headCount();
        }
        return count;
    }

    /** Returns the highest priority of which there is anything; 0 if there is nothing. */
    public int highest() {
        return listed.isEmpty() ? 0 : listed.first().priority;
    }

    /** Adds how many there are of each priority above 0, or takes them away. */
    public void addCountsAbove(int[] counts, int sign) {
        for (ReadyGroup group : listed) {
            if (group.priority == 0) {
                return;
            }
            counts[group.priority] += sign * group.count();
        }
    }

    /** Whether it is the turn of another group than that of this task, which is not among these. */
    public boolean prefersOthersTo(TaskEntry entry) {
        return !listed.isEmpty() && ReadyGroup.compare(listed.first(), groupOf(entry)) < 0;
    }

    /** Whether there are tasks of several priorities or tenants. */
    public boolean hasSeveralGroups() {
        return listed.size() > 1;
    }

    /** Counts a start of a task that was not taken from here. */
    public void startedElsewhere(TaskEntry entry) {
        if (fair != null) {
            charge(groupOf(entry));
        }
    }

    // ---- lanes ----

    /** Adds a lane at the end of its group, or keeps it where it is. @param startsHead as in {@link ReadyLanes#put} */
    void put(Lane lane, boolean startsHead) {
        TaskEntry next = lane.peek();
        ReadyGroup group = next == null ? plain : groupOf(next);
        if (lane.readyIn != null && lane.readyIn != group) {
            remove(lane);
        }
        group.lanes.put(lane, startsHead);
        lane.readyIn = group;
        update(group);
    }

    void remove(Lane lane) {
        ReadyGroup group = lane.readyIn;
        if (group != null) {
            group.lanes.remove(lane);
            lane.readyIn = null;
            update(group);
        }
    }

    // ---- tasks without a key ----

    void addLast(TaskEntry entry) {
        ReadyGroup group = groupOf(entry);
        group.unkeyed.addLast(entry);
        update(group);
    }

    /** Puts a task before the others of its group. */
    void addFirst(TaskEntry entry) {
        ReadyGroup group = groupOf(entry);
        group.unkeyed.addFirst(entry);
        update(group);
    }

    /** @return whether it was here */
    boolean remove(TaskEntry entry) {
        ReadyGroup group = groupOf(entry);
        boolean was = group.unkeyed.remove(entry);
        update(group);
        return was;
    }

    /** Lets somebody take tasks without a key out of each group. */
    public void takeOut(Consumer<Collection<TaskEntry>> taker) {
        for (ReadyGroup group : List.copyOf(listed)) {
            taker.accept(group.unkeyed);
            update(group);
        }
    }

    /** Passes on the tasks that may start and nothing is known to precede: the first of open lanes, and those without a key. */
    public void forEachFirst(Consumer<TaskEntry> receiver) {
        for (ReadyGroup group : listed) {
            group.lanes.forEach(lane -> {
                TaskEntry first = isPreceded(lane) ? null : lane.peek();
                if (first != null) {
                    receiver.accept(first);
                }
            });
            group.unkeyed.forEach(receiver);
        }
    }

    /** Passes on the first tasks of lanes that may start, and those without a key: at least one of each group and kind, and most in all. */
    void forSomeFirst(int most, Consumer<TaskEntry> receiver) {
        int left = most;
        for (ReadyGroup group : listed) {
            int lanes = Math.min(group.lanes.count(), Math.max(1, left));
            group.lanes.forSome(lanes, lane -> {
                TaskEntry first = lane.mayStart() ? lane.peek() : null;
                if (first != null) {
                    receiver.accept(first);
                }
            });
            group.unkeyed.stream().limit(Math.max(1, left - lanes)).forEach(receiver);
            left -= group.count();
        }
    }

    private static boolean isPreceded(Lane lane) {
        return !lane.mayStart() || lane.isBlocked() || lane.relayedOutcomes() > 0;
    }

    // ---- what is next ----

    /** A lane, or a task without a key. One of them is null. */
    record Next(@Nullable Lane lane, @Nullable TaskEntry unkeyed) {}

    /** Takes out what is next; null if there is nothing. @param heads whether only lanes that begin with heads are taken */
    @Nullable
    Next poll(boolean heads) {
        ReadyGroup group = next(heads);
        if (group == null) {
            return null;
        }
        Lane lane = heads ? group.lanes.pollHead() : group.lanes.poll();
        Next next;
        if (lane == null) {
            next = new Next(null, group.unkeyed.pollFirst());
        } else {
            lane.readyIn = null;
            next = new Next(lane, null);
        }
        charge(group);
        update(group);
        return next;
    }

    void clear() {
        new ArrayList<>(listed).forEach(group -> {
            for (Lane lane = group.lanes.poll(); lane != null; lane = group.lanes.poll()) {
                lane.readyIn = null;
            }
            group.unkeyed.clear();
            update(group);
        });
    }

    /** Takes out all lanes. */
    void clearLanes() {
        for (ReadyGroup group : List.copyOf(listed)) {
            for (Lane lane = group.lanes.poll(); lane != null; lane = group.lanes.poll()) {
                lane.readyIn = null;
            }
            update(group);
        }
    }

    @Override
    public String toString() {
        int lanes = 0;
        List<TaskEntry> unkeyed = new ArrayList<>();
        for (ReadyGroup group : listed) {
            lanes += group.lanes.count();
            unkeyed.addAll(group.unkeyed);
        }
        return "unkeyed " + unkeyed + " ready " + lanes;
    }
}
