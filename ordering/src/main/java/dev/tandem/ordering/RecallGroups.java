package dev.tandem.ordering;

import dev.tandem.ordering.OverflowKey.Group;
import dev.tandem.task.FairPolicy;
import dev.tandem.task.Task;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys, and tenants, of which records can be read again, by the offset up to which they were read. One recall reads for all of them from
 * the lowest offset on, so that the log is read about once. Where that costs anything for each key, it does so once each time
 * the key gets room, and some times more when groups are joined: the smaller one joins the larger.
 */
final class RecallGroups {

    private final TreeMap<Long, Group> groups = new TreeMap<>();
    /** Keys that have room since the last recall was sent. It does not read for them. */
    private final Set<OverflowKey> joining = new LinkedHashSet<>();
    /** The keys and the tenants in groups. The source's thread looks at them while it reads. */
    private final Set<String> names = ConcurrentHashMap.newKeySet();

    private final Set<String> tenants = ConcurrentHashMap.newKeySet();

    private final @Nullable FairPolicy fair;

    /** @param fair null if there are no tenants */
    RecallGroups(@Nullable FairPolicy fair) {
        this.fair = fair;
    }

    void clear() {
        groups.values().forEach(group -> group.keys.forEach(key -> key.group = null));
        groups.clear();
        joining.clear();
        names.clear();
        tenants.clear();
    }

    private Set<String> namesLike(OverflowKey key) {
        return key.isTenant ? tenants : names;
    }

    boolean isEmpty() {
        return groups.isEmpty() && joining.isEmpty();
    }

    /** Reads for the key from the next recall on. */
    void add(OverflowKey key) {
        if (!reads(key)) {
            joining.add(key);
        }
    }

    /** Whether the last recall reads for the key. */
    boolean reads(OverflowKey key) {
        return key.group != null;
    }

    /** Whether the last recall reads, or the next one will read, for the key. */
    boolean contains(OverflowKey key) {
        return reads(key) || joining.contains(key);
    }

    /** Reads no more for the key. The answer to a recall that has been sent means nothing to it. */
    void remove(OverflowKey key) {
        joining.remove(key);
        Group group = key.group;
        if (group != null) {
            key.from(group.from);
            key.group = null;
            namesLike(key).remove(key.name);
            group.keys.remove(key);
            if (group.keys.isEmpty()) {
                groups.remove(group.from);
            }
        }
    }

    /** Begins a recall, which reads for all keys that are here now. Returns the lowest offset. */
    long begin() {
        for (OverflowKey key : joining) {
            Group group = groups.computeIfAbsent(key.from(), Group::new);
            group.keys.add(key);
            key.group = group;
            namesLike(key).add(key.name);
        }
        joining.clear();
        return groups.firstKey();
    }

    /** Whether the recall reads for the key or the tenant of a task. That changes until it is answered. Any thread may ask. */
    boolean wants(Task task) {
        String key = task.key();
        return key != null && names.contains(key)
                || fair != null && !tenants.isEmpty() && tenants.contains(fair.tenantOf(task));
    }

    /** How many tasks the keys may take whose records may come if the log is read up to an offset. At most {@code most}. */
    int tasksToAskFor(long upTo, int most) {
        int tasks = 0;
        for (Group group : groups.values()) {
            if (group.from >= upTo) {
                break;
            }
            for (OverflowKey key : group.keys) {
                tasks += key.atOnce();
                if (tasks >= most) {
                    return most;
                }
            }
        }
        return Math.max(1, tasks);
    }

    /** All below {@code next} was read for the keys in groups. */
    void advance(long next) {
        @Nullable Group read = groups.remove(next);
        while (!groups.isEmpty() && groups.firstKey() < next) {
            Group lower = groups.pollFirstEntry().getValue();
            read = read == null ? lower : joined(read, lower);
        }
        if (read != null) {
            read.from = next;
            groups.put(next, read);
        }
    }

    private static Group joined(Group one, Group other) {
        Group larger = one.keys.size() < other.keys.size() ? other : one;
        Group smaller = larger == one ? other : one;
        smaller.keys.forEach(key -> key.group = larger);
        larger.keys.addAll(smaller.keys);
        return larger;
    }

    /** Returns all keys in groups. */
    List<OverflowKey> reading() {
        List<OverflowKey> all = new ArrayList<>();
        groups.values().forEach(group -> all.addAll(group.keys));
        return all;
    }
}
