package dev.tandem.server.settings;

import dev.tandem.task.DeadHead;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One queue, under {@code tandem.queues.<name>.}. What is null was not set: its default depends on other settings, and
 * the {@code effective…} methods know it.
 *
 * @param source where its tasks come in; required
 * @param topic Kafka's topic; default: the queue's name
 * @param group Kafka's consumer group; default: {@code tandem.<name>}
 * @param partitions how many to make when the topic, or the sub-queues, must be created
 * @param ordering whether tasks of one key run one after another; default: key for kafka, none for rabbit
 * @param concurrency tasks running at once, per executor process
 * @param maxRunning tasks running at once in the whole cluster; only 0, no limit, is supported yet
 * @param timeout longest run of a task that names none
 * @param maxAttempts starts in all, the first included, of a task that names none
 * @param deadHead what becomes of a key whose head is dead; default: halt
 * @param handler the type of tasks that name none
 * @param types further types that go to {@code handler}; {@code *} means any
 * @param exchange RabbitMQ's exchange, declared when missing; default: tandem
 * @param routingKey what binds the queue to the exchange; default: the queue's name
 * @param queue RabbitMQ's queue; default: the queue's name
 * @param key what orders and spreads an {@code ordering: key} queue of RabbitMQ; default: header
 * @param prefetch unacked deliveries, per consumer; those that await durability count too; default: 5000
 */
public record QueueSettings(
        @Nullable SourceType source,
        @Nullable String topic,
        @Nullable String group,
        @DefaultValue("16") int partitions,
        @Nullable Ordering ordering,
        @DefaultValue("64") int concurrency,
        @DefaultValue("0") int maxRunning,
        @DefaultValue("30s") Duration timeout,
        @DefaultValue("8") int maxAttempts,
        @DefaultValue BackoffSettings backoff,
        @Nullable DeadHead deadHead,
        @Nullable String handler,
        @DefaultValue List<String> types,
        @DefaultValue HttpSettings http,
        @Nullable String exchange,
        @Nullable String routingKey,
        @Nullable String queue,
        @Nullable KeySource key,
        @Nullable Integer prefetch) {

    /** The two front doors. */
    public enum SourceType {
        KAFKA,
        RABBIT
    }

    /** What is run in order. */
    public enum Ordering {
        /** Tasks of one key, one at a time, in the order they came in. */
        KEY,
        /** Nothing: all in parallel, keys are ignored. */
        NONE
    }

    /** Where RabbitMQ's key is taken from. */
    public enum KeySource {
        HEADER,
        ROUTING_KEY
    }

    /**
     * How long a failed task waits for its next attempt.
     *
     * @param policy the curve
     * @param initial before the second attempt; with {@code fixed}, before each
     * @param multiplier from one attempt to the next
     * @param max the longest
     * @param jitter the share by which a delay is randomly longer or shorter, 0 to 1
     */
    public record BackoffSettings(
            @DefaultValue("exponential") Policy policy,
            @DefaultValue("1s") Duration initial,
            @DefaultValue("2") double multiplier,
            @DefaultValue("1h") Duration max,
            @DefaultValue("0.2") double jitter) {

        /** The shape of the delays. */
        public enum Policy {
            EXPONENTIAL,
            FIXED,
            /** Sidekiq's: n⁴ + 15 s and a random part, where n counts the failures. */
            SIDEKIQ
        }
    }

    /**
     * The hosted {@code http} handler.
     *
     * @param url where payloads are posted
     * @param deadOn statuses that make a task dead at once
     * @param headers sent with each request, for instance an Authorization
     */
    public record HttpSettings(
            @Nullable String url,
            @DefaultValue List<Integer> deadOn,
            @DefaultValue Map<String, String> headers) {

        /** Without the values of headers: there may be secrets among them. */
        @Override
        public String toString() {
            return "HttpSettings[url=" + url + ", deadOn=" + deadOn + ", headers=" + headers.keySet() + "]";
        }
    }

    /** @throws IllegalStateException if it was not checked before */
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

    /** Without order there is no key to stop, so a dead task is just passed. */
    public DeadHead effectiveDeadHead() {
        if (!ordered()) {
            return DeadHead.SKIP;
        }
        return deadHead == null ? DeadHead.HALT : deadHead;
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

    public int effectivePrefetch() {
        return prefetch == null ? 5_000 : prefetch;
    }
}
