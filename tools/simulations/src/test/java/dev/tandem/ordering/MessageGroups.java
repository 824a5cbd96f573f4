package dev.tandem.ordering;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The messages of a queue by identity: published twice, or of the same content, they can't be told apart. */
final class MessageGroups {

    /** All messages of one identity. */
    static final class Group {
        final List<SimTask> tasks = new ArrayList<>();
        final Set<SimTask> acked = new HashSet<>();
        int successes;
        /** Whether the messages have a message id, which makes all of them one. */
        final boolean named;

        Group(boolean named) {
            this.named = named;
        }

        /**
         * Whether enough of them have succeeded or are held.
         *
         * @param due those that the broker has not any more
         */
        boolean isKept(Set<SimTask> due, List<SimTask> inStore) {
            if (tasks.size() == 1) {
                return due.stream().allMatch(task -> task.succeeded || inStore.contains(task));
            }
            long kept = successes + inStore.stream().filter(tasks::contains).count();
            return kept >= (named ? Math.min(1, due.size()) : due.size());
        }
    }

    private final Map<String, Group> byIdentity = new HashMap<>();
    private final Map<SimTask, Group> byTask = new HashMap<>();

    void add(SimTask task, String identity) {
        Group group = byIdentity.computeIfAbsent(identity, i -> new Group(identity.charAt(0) == 'm'));
        group.tasks.add(task);
        byTask.put(task, group);
    }

    Group of(SimTask task) {
        return byTask.get(task);
    }

    Collection<Group> all() {
        return byIdentity.values();
    }

    boolean isNamed(SimTask task) {
        return of(task).named;
    }

    /** Whether no other message has its identity. */
    boolean isSingle(SimTask task) {
        return of(task).tasks.size() == 1;
    }
}
