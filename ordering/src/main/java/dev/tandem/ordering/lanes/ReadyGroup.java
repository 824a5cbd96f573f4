package dev.tandem.ordering.lanes;

import java.util.ArrayDeque;

/** The tasks of one priority and one tenant that may be claimed next: lanes, by their next tasks, and tasks without a key. */
final class ReadyGroup {

    final int priority;
    final String tenant;
    final ReadyLanes lanes = new ReadyLanes();
    final ArrayDeque<TaskEntry> unkeyed = new ArrayDeque<>();
    /** The order in which groups came; decides between groups that are equal otherwise. */
    final long number;
    /** The starts of this group, in parts of its weight, counted from where the groups of its priority were when it came. */
    long pass;
    /** Whether it is among those that have something. */
    boolean listed;

    ReadyGroup(int priority, String tenant, long number) {
        this.priority = priority;
        this.tenant = tenant;
        this.number = number;
    }

    boolean isEmpty() {
        return lanes.isEmpty() && unkeyed.isEmpty();
    }

    int count() {
        return lanes.count() + unkeyed.size();
    }

    int headCount() {
        return lanes.headCount() + unkeyed.size();
    }

    /** Whether this one comes before another one. */
    static int compare(ReadyGroup one, ReadyGroup other) {
        int byPriority = Integer.compare(other.priority, one.priority);
        if (byPriority != 0) {
            return byPriority;
        }
        int byPass = Long.compare(one.pass, other.pass);
        return byPass != 0 ? byPass : Long.compare(one.number, other.number);
    }
}
