package dev.tandem.runtime.settings;

import dev.tandem.task.DeadHead;
import dev.tandem.task.FairPolicy;
import dev.tandem.task.TaskDependencies;
import dev.tandem.task.store.DedupPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings of one queue, under {@code tandem.queues.<name>.}. A null component was not set: its default depends on
 * other settings, and the {@code effective…} methods return it.
 *
 * @param source the broker that its tasks come from; required
 * @param topic Kafka's topic; default: the queue's name
 * @param group Kafka's consumer group; default: {@code tandem.<name>}
 * @param partitions how many partitions are created if the topic, or the sub-queues, are missing
 * @param ordering whether tasks of one key run one after another; default: key for kafka, none for rabbit
 * @param concurrency tasks running at once, per executor process; default: 64, or 1000 if they are pulled
 * @param weight its part of the slots of a process, in proportion to those of other queues; default: none of its own
 * @param precedence of two queues that want slots, the one with the higher number gets them
 * @param fair how tenants of the queue take turns
 * @param maxRunning tasks running at once in the whole cluster; 0 for no limit
 * @param timeout the longest run of a task that sets no timeout; default: 30 s, or an hour if tasks are pulled
 * @param timeoutLimit the longest timeout that a task may set; default: timeout
 * @param maxAttempts starts in all, including the first, of a task that sets no limit
 * @param maxAttemptsLimit the most attempts that a task may set; default: max-attempts
 * @param ttl after which time a task expires that names none, counted from when it is due; default: never
 * @param unknownTypeGrace how long a task without a handler here is tried again before it is dead; 0 for dead at once
 * @param handlersMismatch what becomes of an executor that lacks handlers which others of the queue have
 * @param maxCheckpointBytes the largest checkpoint that a run may save
 * @param maxLogLines how many lines of the log of each task are kept; 0 for none
 * @param maxResultBytes the longest result of a task that is kept; 0 for none
 * @param deadHead what becomes of a key whose head is dead; default: halt
 * @param maxInMemory the tasks of one partition that are kept in memory before it is paused
 * @param maxInMemoryBytes the same in bytes
 * @param maxParked the tasks of one partition that Redis parks behind blocked keys
 * @param maxParkedPerKey the same of one key; default: as many as of the partition
 * @param maxInRedis how many tasks of one partition Redis may hold before no fresh ones start
 * @param maxInRedisBytes the same in bytes of Redis's memory
 * @param maxBlockedKeys the blocked keys of one partition at which no task of a further key is started
 * @param growthWindow for how long publishers may use the earlier count of partitions when Kafka's topic has got more; 0:
 *     tasks of a key do not wait for those in its earlier partition
 * @param dedup which of several tasks with one deduplication key runs
 * @param dependencies how tasks wait for others
 * @param events what other programs are told about tasks
 * @param handler the type of tasks that set no type
 * @param types further types that {@code handler} runs; {@code *} means any
 * @param pull how programs lease the tasks of a queue whose handler is {@code pull}
 * @param mask JSON pointers to values of payloads that nobody is shown
 * @param command which of the listed programs the handler {@code cmd} runs
 * @param exchange RabbitMQ's exchange, declared when missing; default: tandem
 * @param routingKey what binds the queue to the exchange; default: the queue's name
 * @param queue RabbitMQ's queue; default: the queue's name
 * @param key where the ordering key of a RabbitMQ message is taken from; default: header
 * @param prefetch unacked deliveries per consumer, including those that wait for durability; default: 5000
 * @param maxPriority the highest priority by which RabbitMQ lets messages of an unordered queue overtake others; default: that of
 *     its quorum queues
 */
public record QueueSettings(
        @Nullable SourceType source,
        @Nullable String topic,
        @Nullable String group,
        @DefaultValue("16") int partitions,
        @Nullable Ordering ordering,
        @Nullable Integer concurrency,
        @Nullable Integer weight,
        @DefaultValue("0") int precedence,
        @DefaultValue FairSettings fair,
        @DefaultValue("0") int maxRunning,
        @Nullable Duration timeout,
        @Nullable Duration timeoutLimit,
        @DefaultValue("8") int maxAttempts,
        @Nullable Integer maxAttemptsLimit,
        @DefaultValue BackoffSettings backoff,
        @Nullable Duration ttl,
        @DefaultValue("10m") Duration unknownTypeGrace,
        @DefaultValue("refuse") HandlersMismatch handlersMismatch,
        @DefaultValue("64KB") DataSize maxCheckpointBytes,
        @DefaultValue("20") int maxLogLines,
        @DefaultValue("0KB") DataSize maxResultBytes,
        @Nullable DeadHead deadHead,
        @DefaultValue("10000") int maxInMemory,
        @DefaultValue("64MB") DataSize maxInMemoryBytes,
        @DefaultValue("100000") int maxParked,
        @Nullable Integer maxParkedPerKey,
        @DefaultValue("1000000") long maxInRedis,
        @DefaultValue("1024MB") DataSize maxInRedisBytes,
        @DefaultValue BreakerSettings breaker,
        @DefaultValue("100000") int maxBlockedKeys,
        @DefaultValue("6m") Duration growthWindow,
        @DefaultValue DedupSettings dedup,
        @DefaultValue DependencySettings dependencies,
        @DefaultValue EventSettings events,
        @Nullable String handler,
        @DefaultValue List<String> types,
        @DefaultValue HttpSettings http,
        @DefaultValue PullSettings pull,
        @DefaultValue List<String> mask,
        @Nullable String command,
        @Nullable String exchange,
        @Nullable String routingKey,
        @Nullable String queue,
        @Nullable KeySource key,
        @Nullable Integer prefetch,
        @Nullable Integer maxPriority) {

    /**
     * How tenants take turns.
     *
     * @param by what names the tenant of a task: {@code header:} and a header's name, or {@code key-prefix:} and the text behind
     *     which the key goes on; default: nothing
     * @param weights how many starts a tenant has in proportion to the others; default: 1
     */
    public record FairSettings(
            @Nullable String by, @DefaultValue Map<String, Integer> weights) {

        private static final String HEADER = "header:";
        private static final String KEY_PREFIX = "key-prefix:";

        /** Returns whether {@link #by} names something. */
        boolean isReadable() {
            return by == null
                    || by.startsWith(HEADER) && by.length() > HEADER.length()
                    || by.startsWith(KEY_PREFIX) && by.length() > KEY_PREFIX.length();
        }

        /** Returns how tenants take turns; null if there are none. */
        public @Nullable FairPolicy policy() {
            if (by == null) {
                return null;
            }
            return by.startsWith(HEADER)
                    ? new FairPolicy(by.substring(HEADER.length()), null, weights)
                    : new FairPolicy(null, by.substring(KEY_PREFIX.length()), weights);
        }
    }

    /** The brokers that tasks come from. */
    public enum SourceType {
        KAFKA,
        RABBIT
    }

    /** The treatment of an executor that lacks handlers which others of its queue have. */
    public enum HandlersMismatch {
        /** After {@code unknown-type-grace} it gives up its partitions of the queue. */
        REFUSE,
        /** The log and the status say so. */
        WARN
    }

    /** Which tasks run in order. */
    public enum Ordering {
        /** The tasks of one key run one at a time, in the order in which they came in. */
        KEY,
        /** All tasks run in parallel; keys are ignored. */
        NONE
    }

    /** Where the ordering key of a RabbitMQ message is taken from. */
    public enum KeySource {
        HEADER,
        ROUTING_KEY
    }

    /**
     * How long a failed task waits for its next attempt.
     *
     * @param policy how the delays grow
     * @param initial the delay before the second attempt; with {@code fixed}, before every attempt
     * @param multiplier the factor from one delay to the next
     * @param max the longest delay
     * @param jitter the share by which a delay is randomly longer or shorter, 0 to 1
     */
    public record BackoffSettings(
            @DefaultValue("exponential") Policy policy,
            @DefaultValue("1s") Duration initial,
            @DefaultValue("2") double multiplier,
            @DefaultValue("1h") Duration max,
            @DefaultValue("0.2") double jitter) {

        /** How the delays grow. */
        public enum Policy {
            EXPONENTIAL,
            FIXED,
            /** Sidekiq's formula: n⁴ + 15 s and a random part, where n counts the failures. */
            SIDEKIQ
        }
    }

    /**
     * When starts are slowed down because nearly all attempts fail.
     *
     * @param enabled whether they ever are
     * @param failures the share of failed attempts
     * @param attempts how many attempts must have ended within the window
     * @param window how far back attempts count
     */
    public record BreakerSettings(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("0.9") double failures,
            @DefaultValue("100") int attempts,
            @DefaultValue("10s") Duration window) {}

    /**
     * Which of several tasks with one deduplication key runs, and until when a key is taken.
     *
     * @param mode which of them runs
     * @param until what frees the key; only with {@code mode: first}
     * @param window for how long after the arrival of its task the key is taken
     * @param retention for how long the key stays taken after its task has succeeded
     * @param releaseOnFailure whether the key is free as soon as its task is dead or cancelled
     * @param lostAfter after how long without a sign of a task that has not ended it counts as lost
     */
    public record DedupSettings(
            @DefaultValue("first") DedupPolicy.Mode mode,
            @DefaultValue("both") Until until,
            @DefaultValue("10m") Duration window,
            @DefaultValue("0s") Duration retention,
            @DefaultValue("true") boolean releaseOnFailure,
            @DefaultValue("1d") Duration lostAfter) {

        /** What frees a deduplication key. */
        public enum Until {
            /** The end of the task, and of the retention behind it. */
            DONE,
            /** The end of the window, whether or not the task has ended. */
            WINDOW,
            /** The later of both. */
            BOTH
        }
    }

    /**
     * How tasks wait for others, and for how long others can wait for them.
     *
     * @param keep how long it is remembered that a task with a deduplication key has ended; ten minutes count in any case. 0: for
     *     as long as tasks are known to wait for those of the queue
     * @param timeout for how long a task waits that does not say it itself
     * @param policy what becomes of a task that does not say it itself, if one that it waits for does not succeed
     * @param unknown what becomes of a task that waits for an id of which nothing is known
     */
    public record DependencySettings(
            @DefaultValue("0s") Duration keep,
            @DefaultValue("1d") Duration timeout,
            @DefaultValue("die") TaskDependencies.Policy policy,
            @DefaultValue("wait") Unknown unknown) {

        /** What becomes of a task that waits for an id of which nothing is known. */
        public enum Unknown {
            WAIT,
            DIE
        }
    }

    /**
     * How programs lease tasks.
     *
     * @param lease for how long a program has a task if it does not say so itself
     */
    public record PullSettings(@DefaultValue("30s") Duration lease) {}

    /** Returns whether programs in any language lease the tasks. */
    public boolean isPulled() {
        return HostedTypes.PULL.equals(handler);
    }

    /** Returns whether tasks are posted to somebody who ends them later. */
    public boolean isPosted() {
        return HostedTypes.HTTP.equals(handler) && http.answers() == HttpSettings.Answers.LATER;
    }

    /** Returns whether programs elsewhere have the tasks, on leases. */
    public boolean isLeased() {
        return isPulled() || isPosted();
    }

    public int effectiveConcurrency() {
        int byDefault = isLeased() ? 1_000 : 64;
        return concurrency == null ? byDefault : concurrency;
    }

    public Duration effectiveTimeout() {
        Duration byDefault = isLeased() ? Duration.ofHours(1) : Duration.ofSeconds(30);
        return timeout == null ? byDefault : timeout;
    }

    /** @throws IllegalStateException if the settings were not checked */
    public SourceType effectiveSource() {
        if (source == null) {
            throw new IllegalStateException("The queue has no source");
        }
        return source;
    }

    public Ordering effectiveOrdering() {
        if (ordering != null) {
            return ordering;
        }
        return source == SourceType.RABBIT ? Ordering.NONE : Ordering.KEY;
    }

    public boolean ordered() {
        return effectiveOrdering() == Ordering.KEY;
    }

    /** Returns whether tasks of keys that move, because the topic gets more partitions, wait for earlier ones. */
    public boolean keepsOrderOfMovedKeys() {
        return effectiveSource() == SourceType.KAFKA && ordered() && !growthWindow.isZero();
    }

    /** An unordered queue has no keys to halt, so it always skips a dead task. */
    public DeadHead effectiveDeadHead() {
        if (!ordered()) {
            return DeadHead.SKIP;
        }
        return deadHead == null ? DeadHead.HALT : deadHead;
    }

    public Duration effectiveTimeoutLimit() {
        return timeoutLimit == null ? effectiveTimeout() : timeoutLimit;
    }

    public int effectiveMaxAttemptsLimit() {
        return maxAttemptsLimit == null ? maxAttempts : maxAttemptsLimit;
    }

    public String effectiveTopic(String name) {
        return topic == null ? name : topic;
    }

    public String effectiveGroup(String name) {
        return group == null ? "tandem." + name : group;
    }

    public String effectiveExchange() {
        return exchange == null ? "tandem" : exchange;
    }

    public String effectiveRoutingKey(String name) {
        return routingKey == null ? name : routingKey;
    }

    public String effectiveQueue(String name) {
        return queue == null ? name : queue;
    }

    public KeySource effectiveKey() {
        return key == null ? KeySource.HEADER : key;
    }

    public int effectiveMaxParkedPerKey() {
        return maxParkedPerKey == null ? maxParked : maxParkedPerKey;
    }

    public int effectivePrefetch() {
        return prefetch == null ? 5_000 : prefetch;
    }
}
