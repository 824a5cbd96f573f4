package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.tracking.TenantShares;
import dev.tandem.task.FairPolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The tenants of a log of which records are passed over, since they have their share of memory. The key of a tenant's task names
 * the tenant, or a header does; then the tasks of a key may be of several.
 */
final class TenantBursts {

    /** How many tenants may have records that are passed over. Those of further ones wait in memory. */
    private static final int MAX_TENANTS = 1_000;
    /** After memory was cleared, so much of it must have been delivered anew before it is cleared again. */
    private static final int CLEARED_SHARE = 8;

    private static final long NEVER = -1;

    private final PartitionState state;
    private final FairPolicy fair;
    private final TenantShares shares;
    /** All offsets below it were delivered once. */
    private final LongSupplier passed;

    private final Map<String, OverflowKey> tenants = new LinkedHashMap<>();
    private long clearedAt = NEVER;

    TenantBursts(PartitionState state, FairPolicy fair, TenantShares shares, LongSupplier passed) {
        this.state = state;
        this.fair = fair;
        this.shares = shares;
        this.passed = passed;
    }

    void clear() {
        tenants.clear();
        clearedAt = NEVER;
    }

    boolean isEmpty() {
        return tenants.isEmpty();
    }

    Collection<OverflowKey> all() {
        return tenants.values();
    }

    /** Whether tasks of a key may be of several tenants, so that keys must be known of which records wait for a tenant. */
    boolean spansKeys() {
        return fair.header() != null;
    }

    /** Returns the tenant of all tasks of a key if records of it are passed over; null if not, or if tasks of a key have several. */
    @Nullable
    OverflowKey ofKey(String key) {
        String tenant = tenants.isEmpty() ? null : fair.tenantOfKey(key);
        return tenant == null ? null : tenants.get(tenant);
    }

    /** Returns the tenant for which a record must wait, null if there is none. */
    @Nullable
    OverflowKey holding(TaskEntry entry) {
        if (tenants.isEmpty()) {
            return null;
        }
        OverflowKey tenant = tenants.get(tenantOf(entry));
        return tenant != null && entry.offset() >= tenant.from() ? tenant : null;
    }

    private String tenantOf(TaskEntry entry) {
        String tenant = entry.tenant();
        return tenant == null ? fair.tenantOf(entry.requireTask()) : tenant;
    }

    /** Whether the tenant of a record that has just come has too much, so that it is passed over from here on. */
    boolean begins(TaskEntry entry) {
        String tenant = tenantOf(entry);
        return entry.offset() >= passed.getAsLong()
                && tenants.size() < MAX_TENANTS
                && !tenants.containsKey(tenant)
                && shares.hasTooMuch(tenant);
    }

    /** Returns the tenant of a record that is passed over for its sake. */
    OverflowKey of(TaskEntry entry) {
        return tenants.computeIfAbsent(tenantOf(entry), name -> {
            shares.watch(name, true);
            return OverflowKey.ofTenant(name, entry.offset());
        });
    }

    void isOver(OverflowKey tenant) {
        tenants.remove(tenant.name);
        shares.watch(tenant.name, false);
    }

    // ---- room ----

    /** Whether one more record of the tenant may come back now. */
    boolean mayTake(OverflowKey tenant) {
        return shares.mayTake(tenant.name);
    }

    /** Lets each tenant that is read again ask for as many tasks as it may take. */
    void ask(Predicate<OverflowKey> isRead) {
        for (OverflowKey tenant : tenants.values()) {
            if (isRead.test(tenant)) {
                tenant.atOnce(Math.max(1, shares.shareOf(tenant.name) - shares.tasksOf(tenant.name)));
            }
        }
    }

    /** Passes on the tenants that have got room since the last call. */
    void withRoom(Consumer<OverflowKey> receiver) {
        for (String name : shares.takeWithRoom()) {
            OverflowKey tenant = tenants.get(name);
            if (tenant != null && shares.hasRoom(name)) {
                receiver.accept(tenant);
            }
        }
    }

    /** Passes on all tenants that have room. */
    void allWithRoom(Consumer<OverflowKey> receiver) {
        for (OverflowKey tenant : tenants.values()) {
            if (shares.hasRoom(tenant.name)) {
                receiver.accept(tenant);
            }
        }
    }

    /** Whether a task of a full lane may stay in memory, to find out when there is room for more of them. */
    boolean mayKeepOne(TaskEntry entry) {
        String tenant = tenantOf(entry);
        return 4 * shares.tasksOf(tenant) < shares.shareOf(tenant);
    }

    // ---- memory is full though nobody had too much when it came ----

    /** Whether tenants must give up some of their tasks, so that others can be delivered. */
    boolean mustClear() {
        boolean full = state.isFull(1) || state.isOverBudget(1);
        return full && state.lanes.admitsFresh() && hasReadOn();
    }

    private boolean hasReadOn() {
        int enough = Math.max(1, state.context.policy.maxInMemory() / CLEARED_SHARE);
        return clearedAt == NEVER || passed.getAsLong() - clearedAt >= enough;
    }

    /**
     * Takes out the last tasks of all tenants that have more than their share and tasks that are not claimed.
     *
     * @param mayGo whether a task may be passed over at all
     * @param begun below it, a task does not go from before one that the store has offered
     */
    List<TaskEntry> takeExcess(Predicate<TaskEntry> mayGo, long begun) {
        clearedAt = passed.getAsLong();
        Map<String, Long> from = firstToGo(mayGo);
        Predicate<TaskEntry> goes = entry -> {
            Long first = entry.tenant() == null ? null : from.get(entry.tenant());
            return first != null && entry.offset() >= first && mayGo.test(entry);
        };
        List<TaskEntry> taken = new ArrayList<>();
        if (from.isEmpty()) {
            return taken;
        }
        for (Lane lane : new ArrayList<>(state.lanes.all())) {
            List<TaskEntry> last = lane.takeLast(
                    0, (entry, offeredBehind) -> goes.test(entry) && !(offeredBehind && entry.offset() < begun));
            if (!last.isEmpty()) {
                taken.addAll(last);
                state.lanes.touch(lane);
            }
        }
        state.lanes.ready().takeOut(unkeyed -> unkeyed.removeIf(entry -> goes.test(entry) && taken.add(entry)));
        return taken;
    }

    /** Returns for each tenant with more than its share the offset from which on its tasks go. */
    private Map<String, Long> firstToGo(Predicate<TaskEntry> mayGo) {
        Map<String, List<Long>> offsets = new HashMap<>();
        for (String tenant : shares.withExcess()) {
            offsets.put(tenant, new ArrayList<>());
        }
        Consumer<TaskEntry> look = entry -> {
            List<Long> ofTenant = entry.tenant() == null ? null : offsets.get(entry.tenant());
            if (ofTenant != null && mayGo.test(entry)) {
                ofTenant.add(entry.offset());
            }
        };
        if (!offsets.isEmpty()) {
            state.lanes.all().forEach(lane -> lane.waiting().forEach(look));
            state.lanes.ready().takeOut(unkeyed -> unkeyed.forEach(look));
        }
        Map<String, Long> from = new HashMap<>();
        offsets.forEach((tenant, all) -> {
            all.sort(Comparator.reverseOrder());
            int goes = Math.min(shares.excess(tenant), all.size());
            if (goes > 0) {
                from.put(tenant, all.get(goes - 1));
            }
        });
        return from;
    }
}
