package dev.tandem.ordering.tracking;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.FairPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The shares of tenants in the memory of a partition, and what they have there: the delivered tasks that the broker has custody of.
 *
 * <p>The share of a tenant is its part, by weight, of half of the window, among the tenants that have tasks in memory. The other
 * half is for whoever comes. All is decided from counts, without a clock.
 */
public final class TenantShares {

    /** What a tenant has in memory. Kept while it has anything, or is watched. */
    private static final class Count {
        final int weight;
        int tasks;
        long bytes;
        boolean watched;

        Count(int weight) {
            this.weight = weight;
        }
    }

    private final FairPolicy fair;
    private final int window;
    private final LongSupplier windowBytes;
    private final Map<String, Count> tenants = new HashMap<>();
    /** Watched tenants that have got room. */
    private final Set<String> withRoom = new LinkedHashSet<>();

    private int tasks;
    private long bytes;
    /** The sum of the weights of tenants that have tasks. */
    private long weights;

    /**
     * Makes shares of a window in which there is nothing.
     *
     * @param window how many tasks it has room for
     * @param windowBytes how many bytes it has room for at present
     */
    public TenantShares(FairPolicy fair, int window, LongSupplier windowBytes) {
        this.fair = fair;
        this.window = window;
        this.windowBytes = windowBytes;
    }

    // ---- counts ----

    void add(TaskEntry entry) {
        String tenant = entry.tenant();
        if (tenant == null) {
            tenant = fair.tenantOf(entry.requireTask());
            entry.tenant(tenant);
        }
        Count count = count(tenant);
        if (count.tasks++ == 0) {
            weights += count.weight;
        }
        count.bytes += entry.weight();
        tasks++;
        bytes += entry.weight();
    }

    void remove(TaskEntry entry) {
        String tenant = entry.tenant();
        Count count = tenant == null ? null : tenants.get(tenant);
        if (tenant == null || count == null) {
            throw new IllegalStateException(entry + " was never counted for its tenant");
        }
        count.bytes -= entry.weight();
        tasks--;
        bytes -= entry.weight();
        if (--count.tasks == 0) {
            weights -= count.weight;
        }
        if (count.watched && hasRoom(count)) {
            withRoom.add(tenant);
        } else if (count.tasks == 0 && !count.watched) {
            tenants.remove(tenant);
        }
    }

    private Count count(String tenant) {
        return tenants.computeIfAbsent(tenant, name -> new Count(fair.weightOf(name)));
    }

    /** Notes whether it must be known when the tenant gets room. */
    public void watch(String tenant, boolean now) {
        Count count = now ? count(tenant) : tenants.get(tenant);
        if (count != null) {
            count.watched = now;
            if (!now && count.tasks == 0) {
                tenants.remove(tenant);
            }
        }
        withRoom.remove(tenant);
    }

    /** Takes the watched tenants that have got room since this was asked last. */
    public List<String> takeWithRoom() {
        if (withRoom.isEmpty()) {
            return List.of();
        }
        List<String> taken = new ArrayList<>(withRoom);
        withRoom.clear();
        return taken;
    }

    void clear() {
        tenants.clear();
        withRoom.clear();
        tasks = 0;
        bytes = 0;
        weights = 0;
    }

    // ---- shares ----

    private long part(long ofHalf, Count count) {
        long all = count.tasks > 0 ? weights : weights + count.weight;
        return Math.max(1, (long) ((double) ofHalf * count.weight / all));
    }

    private long share(Count count) {
        return part(window / 2, count);
    }

    private long shareOfBytes(Count count) {
        return part(windowBytes.getAsLong() / 2, count);
    }

    /** Returns how many tasks a tenant may have in memory while others want some of it. */
    public int shareOf(String tenant) {
        return (int) share(find(tenant));
    }

    public int tasksOf(String tenant) {
        return find(tenant).tasks;
    }

    private Count find(String tenant) {
        Count count = tenants.get(tenant);
        return count == null ? new Count(fair.weightOf(tenant)) : count;
    }

    /** Whether a task that has just come must go aside: little is left of the window, and its tenant had its share already. */
    public boolean hasTooMuch(String tenant) {
        boolean little = tasks > window / 2 || bytes > windowBytes.getAsLong() / 2;
        return little && excess(tenant) > 0;
    }

    /** Returns how many of its tasks a tenant must give up so that it has its share and no more. At least one stays. */
    public int excess(String tenant) {
        Count count = find(tenant);
        long most = shareOfBytes(count);
        long byTasks = count.tasks - share(count);
        long byBytes = count.bytes <= most ? 0 : 1 + count.tasks * (count.bytes - most) / count.bytes;
        return (int) Math.max(0, Math.min(count.tasks - 1, Math.max(byTasks, byBytes)));
    }

    /** Whether the tenant has less than its share, so that one more of its tasks may come back. */
    public boolean mayTake(String tenant) {
        Count count = find(tenant);
        return count.tasks == 0 || count.tasks < share(count) && count.bytes < shareOfBytes(count);
    }

    /** Whether the tenant has so little that its tasks begin to come back: less than half of its share. */
    public boolean hasRoom(String tenant) {
        return hasRoom(find(tenant));
    }

    private boolean hasRoom(Count count) {
        return 2L * count.tasks < share(count) && 2 * count.bytes < shareOfBytes(count);
    }

    /** Returns the tenants that have more than their share. */
    public Set<String> withExcess() {
        Set<String> over = new LinkedHashSet<>();
        for (String tenant : tenants.keySet()) {
            if (excess(tenant) > 0) {
                over.add(tenant);
            }
        }
        return over;
    }

    /** Makes shares for a queue. Null if it has no tenants. */
    public static @Nullable TenantShares of(@Nullable FairPolicy fair, int window, LongSupplier windowBytes) {
        return fair == null ? null : new TenantShares(fair, window, windowBytes);
    }
}
