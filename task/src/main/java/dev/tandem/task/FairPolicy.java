package dev.tandem.task;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Says which tenant a task belongs to, and the weights of tenants: of those that have tasks, each starts as many as its weight says,
 * in proportion to the others.
 *
 * @param header the header whose value names the tenant; null if the key does
 * @param separator where the tenant ends within the key; null if a header names it
 * @param weights of tenants; those that are not here have 1
 */
public record FairPolicy(@Nullable String header, @Nullable String separator, Map<String, Integer> weights) {

    /** The tenant of tasks that name none. */
    public static final String NO_TENANT = "";

    public static final int MAX_WEIGHT = 1_000;

    public FairPolicy {
        weights = Map.copyOf(weights);
        if ((header == null) == (separator == null)) {
            throw new IllegalArgumentException("Either a header or a part of the key names the tenant");
        }
        weights.forEach((tenant, weight) -> {
            if (weight < 1 || weight > MAX_WEIGHT) {
                throw new IllegalArgumentException(
                        "The weight of tenant '" + tenant + "' is " + weight + ", it must be 1 to " + MAX_WEIGHT);
            }
        });
    }

    /** Returns the tenant of a task; {@link #NO_TENANT} if it names none. */
    public String tenantOf(Task task) {
        if (separator == null) {
            return task.headers().getOrDefault(header, NO_TENANT);
        }
        String key = task.key();
        String tenant = key == null ? null : tenantOfKey(key);
        return tenant == null ? NO_TENANT : tenant;
    }

    /** Returns the tenant of all tasks of a key; null if a header names it, so that they may be of several. */
    public @Nullable String tenantOfKey(String key) {
        if (separator == null) {
            return null;
        }
        int end = key.indexOf(separator);
        return end < 0 ? NO_TENANT : key.substring(0, end);
    }

    public int weightOf(String tenant) {
        return weights.getOrDefault(tenant, 1);
    }
}
