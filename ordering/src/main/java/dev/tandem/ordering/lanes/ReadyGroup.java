package dev.tandem.ordering.lanes;

import java.util.ArrayDeque;

/** What may be claimed next of one priority and one tenant: lanes, by their next tasks, and tasks without a key, in order. */
final class ReadyGroup {

    final int priority;
    final String tenant;
    final ReadyLanes lanes = new ReadyLanes();
    final ArrayDeque<TaskEntry> unkeyed = new ArrayDeque<>();
    /** Tells groups apart that are equal otherwise: the one that came first comes first. */
    final long number;
    /** How much has been started of it, in parts of its weight, from where all groups of the priority were when it came. */
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
