package dev.tandem.task;

/**
 * The settings of a queue that the pure core needs.
 *
 * @param ordered whether the queue has {@code ordering: key}; otherwise keys are ignored
 * @param concurrency the most tasks that run at once in this process, 1 or more
 * @param deadHead what happens to a key whose head is dead
 * @param maxInMemory the deliveries of one partition that are kept in memory before it is paused
 * @param maxBytesInMemory the same in bytes
 * @param maxParkedPerKey the tasks of one key that the store parks. Further ones wait in the log, or in memory if the source
 *     is a message queue
 * @param maxParkedPerPartition the tasks of a partition that the store parks. Further ones wait likewise
 * @param maxBlockedKeys the blocked keys of a partition at which no task of a further key is started
 * @param ttlMillis after which time, counted from when it is due, a task expires that names no time itself; 0 for never
 * @param starts how the queue shares the slots of its process
 */
public record QueuePolicy(
        boolean ordered,
        int concurrency,
        DeadHead deadHead,
        int maxInMemory,
        long maxBytesInMemory,
        int maxParkedPerKey,
        int maxParkedPerPartition,
        int maxBlockedKeys,
        long ttlMillis,
        StartPolicy starts) {

    private static final int MAX_BLOCKED_KEYS = 100_000;

    private static final int IN_MEMORY = 10_000;
    private static final long BYTES_IN_MEMORY = 64 << 20;
    private static final int PARKED = 100_000;

    public QueuePolicy {
        requirePositive("concurrency", concurrency);
        requirePositive("maxInMemory", maxInMemory);
        requirePositive("maxBytesInMemory", maxBytesInMemory);
        requirePositive("maxParkedPerKey", maxParkedPerKey);
        requirePositive("maxParkedPerPartition", maxParkedPerPartition);
        requirePositive("maxBlockedKeys", maxBlockedKeys);
        if (ttlMillis < 0) {
            throw new IllegalArgumentException("ttl is " + ttlMillis + " ms, it must be 0 (none) or more");
        }
    }

    /** Makes a policy by which only tasks expire that say so themselves. */
    public QueuePolicy(
            boolean ordered,
            int concurrency,
            DeadHead deadHead,
            int maxInMemory,
            long maxBytesInMemory,
            int maxParkedPerKey,
            int maxParkedPerPartition,
            int maxBlockedKeys) {
        this(
                ordered,
                concurrency,
                deadHead,
                maxInMemory,
                maxBytesInMemory,
                maxParkedPerKey,
                maxParkedPerPartition,
                maxBlockedKeys,
                0,
                StartPolicy.DEFAULT);
    }

    private static void requirePositive(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is " + value + ", it must be 1 or more");
        }
    }

    /** Returns the defaults of a queue that is ordered by key. */
    public static QueuePolicy ordered(int concurrency) {
        return new QueuePolicy(
                true, concurrency, DeadHead.HALT, IN_MEMORY, BYTES_IN_MEMORY, PARKED, PARKED, MAX_BLOCKED_KEYS);
    }

    /** Returns the defaults of a queue without order. */
    public static QueuePolicy unordered(int concurrency) {
        return new QueuePolicy(
                false, concurrency, DeadHead.SKIP, IN_MEMORY, BYTES_IN_MEMORY, PARKED, PARKED, MAX_BLOCKED_KEYS);
    }

    public QueuePolicy withConcurrency(int tasks) {
        return new QueuePolicy(
                ordered,
                tasks,
                deadHead,
                maxInMemory,
                maxBytesInMemory,
                maxParkedPerKey,
                maxParkedPerPartition,
                maxBlockedKeys,
                ttlMillis,
                starts);
    }

    public QueuePolicy withMemory(int tasks, long bytes) {
        return new QueuePolicy(
                ordered,
                concurrency,
                deadHead,
                tasks,
                bytes,
                maxParkedPerKey,
                maxParkedPerPartition,
                maxBlockedKeys,
                ttlMillis,
                starts);
    }

    public QueuePolicy withParked(int perKey, int perPartition) {
        return new QueuePolicy(
                ordered,
                concurrency,
                deadHead,
                maxInMemory,
                maxBytesInMemory,
                perKey,
                perPartition,
                maxBlockedKeys,
                ttlMillis,
                starts);
    }

    public QueuePolicy withDeadHead(DeadHead policy) {
        return new QueuePolicy(
                ordered,
                concurrency,
                policy,
                maxInMemory,
                maxBytesInMemory,
                maxParkedPerKey,
                maxParkedPerPartition,
                maxBlockedKeys,
                ttlMillis,
                starts);
    }

    public QueuePolicy withMaxBlockedKeys(int max) {
        return new QueuePolicy(
                ordered,
                concurrency,
                deadHead,
                maxInMemory,
                maxBytesInMemory,
                maxParkedPerKey,
                maxParkedPerPartition,
                max,
                ttlMillis,
                starts);
    }

    public QueuePolicy withTtl(long millis) {
        return new QueuePolicy(
                ordered,
                concurrency,
                deadHead,
                maxInMemory,
                maxBytesInMemory,
                maxParkedPerKey,
                maxParkedPerPartition,
                maxBlockedKeys,
                millis,
                starts);
    }

    public QueuePolicy withStarts(StartPolicy policy) {
        return new QueuePolicy(
                ordered,
                concurrency,
                deadHead,
                maxInMemory,
                maxBytesInMemory,
                maxParkedPerKey,
                maxParkedPerPartition,
                maxBlockedKeys,
                ttlMillis,
                policy);
    }
}
