package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.Lanes;
import dev.tandem.ordering.lanes.TaskEntry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys and the tenants of which records are passed over, and for which of the two a record waits.
 *
 * <p>A record that waits for both is first let go by its tenant, and then read again with its key. If all records of a key wait
 * for one tenant, they are read again with those of the tenant.
 */
final class OverflowKeys {

    /** How many keys may overflow. Records of further keys wait in memory, which may pause the partition. */
    private static final int MAX_KEYS = 100_000;
    /** How many keys one check looks at, and how many of them it tries. */
    private static final int MAX_CHECKED = 1_000;

    private static final int MAX_TRIED = 64;

    private final Lanes lanes;
    private final RecallGroups groups;
    /** Null if there are no tenants. */
    private final @Nullable TenantBursts bursts;
    /** In the order in which they are looked at for a lane that memory has forgotten. */
    private final Map<String, OverflowKey> keys = new LinkedHashMap<>();

    OverflowKeys(Lanes lanes, RecallGroups groups, @Nullable TenantBursts bursts) {
        this.lanes = lanes;
        this.groups = groups;
        this.bursts = bursts;
    }

    void clear() {
        keys.clear();
        if (bursts != null) {
            bursts.clear();
        }
    }

    boolean isEmpty() {
        return keys.isEmpty() && (bursts == null || bursts.isEmpty());
    }

    @Nullable
    OverflowKey get(String name) {
        return keys.isEmpty() ? null : keys.get(name);
    }

    /** Returns a key of which records are passed over. Null if it is none. */
    @Nullable
    OverflowKey find(@Nullable String name) {
        OverflowKey key = name == null ? null : get(name);
        OverflowKey tenant = key == null ? null : key.readWith();
        if (key != null && tenant != null && tenant.isOver()) {
            // All that was left of the tenant was read again, and so was all of the key.
            isOver(key);
            return null;
        }
        return key;
    }

    /** Whether a record of the key, or of its tenant, is passed over below an offset. */
    boolean hasPassedOverBelow(String name, long offset) {
        OverflowKey key = get(name);
        OverflowKey tenant = bursts == null ? null : bursts.ofKey(name);
        return key != null && key.from() < offset || tenant != null && tenant.from() < offset;
    }

    /** Whether records of the key may be passed over. */
    boolean mayKnow(@Nullable String name) {
        return keys.size() < MAX_KEYS || keys.containsKey(name);
    }

    /** Whether a record may wait for its tenant: its key must be known then, if its tasks may be of several. */
    boolean mayWaitForTenant(TaskEntry entry) {
        return bursts != null && !bursts.spansKeys() || entry.key() == null || mayKnow(entry.key());
    }

    Overflow count(long tasks) {
        Collection<OverflowKey> tenants = bursts == null ? List.of() : bursts.all();
        long oldest = Stream.concat(keys.values().stream(), tenants.stream())
                .mapToLong(OverflowKey::publishedAt)
                .min()
                .orElse(Long.MAX_VALUE);
        return new Overflow(tasks, keys.size(), tenants.size(), oldest);
    }

    // ---- passing over ----

    /**
     * Notes a record that is passed over.
     *
     * @param byKey whether it waits for its key
     * @param byTenant whether it waits for its tenant
     * @param readingUpTo the end of the recall that has been sent, 0 if there is none
     */
    void note(TaskEntry entry, boolean byKey, boolean byTenant, long readingUpTo) {
        OverflowKey tenant = bursts == null || !byTenant ? null : bursts.of(entry);
        if (tenant != null) {
            note(tenant, entry, readingUpTo);
        }
        String name = entry.key();
        boolean needsKey = tenant == null || byKey || bursts != null && bursts.spansKeys();
        if (name != null && needsKey) {
            OverflowKey known = find(name);
            OverflowKey key = known == null ? new OverflowKey(name, entry.offset()) : known;
            keys.putIfAbsent(name, key);
            boolean withTenant = tenant != null && !byKey && (known == null || known.readWith() == tenant);
            key.readWith(withTenant ? tenant : null);
            note(key, entry, readingUpTo);
        }
    }

    private void note(OverflowKey key, TaskEntry entry, long readingUpTo) {
        boolean lower = entry.offset() < key.from();
        if (lower || entry.offset() < readingUpTo) {
            // A recall that has been sent does not look for it.
            boolean hasRoom = groups.contains(key);
            groups.remove(key);
            key.from(Math.min(key.from(), entry.offset()));
            if (hasRoom) {
                groups.add(key);
            }
        }
        key.passedOver(entry.offset(), entry.requireTask().publishedAt());
    }

    // ---- reading again ----

    /**
     * Reads again for tenants that have room, and for some keys that no lane is in memory of: a blocked key without tasks in
     * memory may be forgotten, and then nothing tells that it has got room.
     */
    void tryForgottenLanes() {
        if (bursts != null) {
            bursts.allWithRoom(groups::add);
        }
        List<OverflowKey> looked = new ArrayList<>();
        int tried = 0;
        Iterator<OverflowKey> each = keys.values().iterator();
        while (each.hasNext() && looked.size() < MAX_CHECKED && tried < MAX_TRIED) {
            OverflowKey key = each.next();
            each.remove();
            looked.add(key);
            if (lanes.find(key.name) == null && !groups.contains(key) && key.isReadAlone()) {
                groups.add(key);
                tried++;
            }
        }
        looked.forEach(key -> keys.put(key.name, key));
    }

    /** Returns the key or the tenant with which a record may be read again now. Null if it must stay in the log. */
    @Nullable
    OverflowKey readerOf(TaskEntry entry) {
        OverflowKey key = find(entry.key());
        OverflowKey tenant = bursts == null ? null : bursts.holding(entry);
        if (tenant == null) {
            return key;
        }
        if (!groups.reads(tenant)) {
            if (key != null && groups.reads(key)) {
                groups.remove(key);
                key.from(entry.offset());
                key.waitsBehind(tenant);
            }
            return null;
        }
        if (key == null || key.readWith() == tenant || entry.offset() < key.from()) {
            return tenant;
        }
        // From here on it waits for its key alone.
        key.waitsBehind(null);
        key.passedOver(entry.offset(), entry.requireTask().publishedAt());
        Lane lane = lanes.find(key.name);
        if (!groups.reads(key) && (lane == null || lane.hasRoomFor(LogOverflow.LOW))) {
            groups.add(key);
        }
        return key;
    }

    /** Notes that a record was read again, with its key or its tenant. */
    void took(TaskEntry entry, OverflowKey reader) {
        OverflowKey key = reader.isTenant ? find(entry.key()) : reader;
        boolean isOfKey = key != null && (key == reader || key.readWith() == reader);
        if (key != null && isOfKey && entry.offset() == key.last()) {
            isOver(key);
        } else if (key != null && isOfKey && key != reader) {
            key.from(entry.offset() + 1);
        }
    }

    /** Ends tenants of which all records were read again. */
    void endTenants() {
        if (bursts != null) {
            for (OverflowKey tenant : List.copyOf(bursts.all())) {
                if (groups.reads(tenant) && tenant.from() > tenant.last()) {
                    isOver(tenant);
                }
            }
        }
    }

    /** Nothing of the key or the tenant is passed over any more. */
    void isOver(OverflowKey key) {
        groups.remove(key);
        key.over();
        if (!key.isTenant) {
            keys.remove(key.name);
        } else if (bursts != null) {
            bursts.isOver(key);
        }
    }

    /** Forgets all records below the log's start. */
    void deletedBelow(long logStart) {
        for (OverflowKey key : List.copyOf(keys.values())) {
            if (key.last() < logStart) {
                isOver(key);
            }
        }
        for (OverflowKey tenant : bursts == null ? List.<OverflowKey>of() : List.copyOf(bursts.all())) {
            if (tenant.last() < logStart) {
                isOver(tenant);
            }
        }
    }
}
