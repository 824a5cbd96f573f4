package dev.tandem.task;

/**
 * What the pure core needs to know of a queue.
 *
 * @param ordered {@code ordering: key}; otherwise keys are ignored
 * @param concurrency tasks running at once in this process, 1 or more
 * @param deadHead what becomes of a key whose head is dead
 * @param maxInMemory deliveries of one partition held in memory before it is paused
 * @param maxBytesInMemory the same in bytes
 * @param maxParkedPerKey tasks parked behind one key before the partition is paused
 * @param maxParkedPerPartition tasks parked in a partition before it is paused
 */
public record QueuePolicy(
        boolean ordered,
        int concurrency,
        DeadHead deadHead,
        int maxInMemory,
        long maxBytesInMemory,
        int maxParkedPerKey,
        int maxParkedPerPartition) {

    public QueuePolicy {
        if (concurrency < 1) {
            throw new IllegalArgumentException("concurrency is " + concurrency + ", it must be 1 or more");
        }
        if (maxInMemory < 1 || maxBytesInMemory < 1 || maxParkedPerKey < 1 || maxParkedPerPartition < 1) {
            throw new IllegalArgumentException("bounds must be 1 or more");
        }
    }

    public static QueuePolicy ordered(int concurrency) {
        return new QueuePolicy(true, concurrency, DeadHead.HALT, 10_000, 64 << 20, 10_000, 100_000);
    }

    public static QueuePolicy unordered(int concurrency) {
        return new QueuePolicy(false, concurrency, DeadHead.SKIP, 10_000, 64 << 20, 10_000, 100_000);
    }

    public QueuePolicy withDeadHead(DeadHead policy) {
        return new QueuePolicy(
                ordered, concurrency, policy, maxInMemory, maxBytesInMemory, maxParkedPerKey, maxParkedPerPartition);
    }
}
