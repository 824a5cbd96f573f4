package dev.tandem.ordering;

/**
 * A count of the tasks that wait in a log because there is no room for more of their keys or their tenants.
 *
 * @param tasks how many there are
 * @param keys of how many keys
 * @param tenants of how many tenants, which have their share of memory
 * @param oldestPublishedAt when the oldest of them was published, or somewhat earlier, in epoch milliseconds; {@link
 *     Long#MAX_VALUE} if there is none
 */
public record Overflow(long tasks, int keys, int tenants, long oldestPublishedAt) {

    public static final Overflow NONE = new Overflow(0, 0, 0, Long.MAX_VALUE);

    Overflow plus(Overflow other) {
        return new Overflow(
                tasks + other.tasks,
                keys + other.keys,
                tenants + other.tenants,
                Math.min(oldestPublishedAt, other.oldestPublishedAt));
    }
}
