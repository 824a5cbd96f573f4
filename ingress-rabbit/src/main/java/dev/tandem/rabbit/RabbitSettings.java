package dev.tandem.rabbit;

import dev.tandem.task.Partition;
import dev.tandem.task.TaskHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The settings by which one queue reads its RabbitMQ queue, or its sub-queues.
 *
 * @param uri {@code amqp://user:password@host:port/vhost}, or {@code amqps:}; several of one cluster are separated by
 *     commas
 * @param access how the broker is logged in to
 * @param queue the logical queue
 * @param exchange the durable topic exchange that publishers send to; declared if it is missing; default:
 *     {@code tandem}
 * @param routingKey binds the queue to the exchange, with {@code *} and {@code #} as in every topic exchange; default:
 *     the logical queue's name
 * @param brokerQueue the broker's queue, used as it is if it exists and {@code ordered} is false; with {@code ordered},
 *     the prefix of the sub-queues; default: the logical queue's name
 * @param ordered {@code ordering: key}: sub-queues behind a consistent-hash exchange, each with one active consumer
 * @param key where the key of a message is found, which selects its sub-queue and orders it
 * @param partitions ordered: the number of sub-queues to declare (all that exist are used); unordered: the maximum
 *     number of consuming processes, since each needs a partition of its own
 * @param prefetch the maximum number of unacked messages of one partition, 1 to 65,535; messages that await durability
 *     count too
 * @param maxPriority of an unordered queue: the highest priority that the broker tells apart, 1 to 255, by which messages
 *     overtake others in a classic queue; 0: a quorum queue, as for all others
 * @param maxPayload the longest readable payload in bytes
 * @param consumerTimeout the broker's {@code consumer_timeout}, after which it closes a channel with an unacked message; 1
 *     second or more
 */
public record RabbitSettings(
        String uri,
        RabbitAccess access,
        String queue,
        String exchange,
        String routingKey,
        String brokerQueue,
        boolean ordered,
        KeySource key,
        int partitions,
        int prefetch,
        int maxPriority,
        int maxPayload,
        Duration consumerTimeout) {

    public static final String DEFAULT_EXCHANGE = "tandem";
    public static final int DEFAULT_PARTITIONS = 16;
    public static final int DEFAULT_PREFETCH = 5_000;
    /** RabbitMQ's default. */
    public static final Duration DEFAULT_CONSUMER_TIMEOUT = Duration.ofMinutes(30);

    private static final Duration MIN_CONSUMER_TIMEOUT = Duration.ofSeconds(1);

    private static final int MAX_PARTITIONS = 1_000;
    /** Leaves room below AMQP's limit of 255 for the suffixes of derived names. */
    private static final int MAX_NAME_BYTES = 200;

    private static final int MAX_ROUTING_KEY_BYTES = 255;
    private static final int MAX_PREFETCH = 65_535;
    private static final int HIGHEST_MAX_PRIORITY = 255;

    /** Where the key of an ordered queue's messages is found. */
    public enum KeySource {
        /** The header {@code tandem-key}, which publishers must send as text. */
        HEADER,
        /** The routing key, so that publishers need no header of Tandem. */
        ROUTING_KEY
    }

    /** @throws IllegalArgumentException naming the setting, its value and what is allowed */
    public RabbitSettings {
        RabbitConnector.check(uri);
        check(Partition.isName(queue), "queue", queue, "1 to 200 letters, digits, dots, underscores or hyphens");
        checkName("exchange", exchange);
        checkName("queue", brokerQueue);
        check(
                !brokerQueue.startsWith("amq."),
                "queue",
                brokerQueue,
                "another name: names that begin with amq. belong to the broker");
        check(bytes(routingKey) <= MAX_ROUTING_KEY_BYTES, "routing-key", routingKey, "up to 255 bytes");
        check(
                !ordered || key == KeySource.HEADER || isPattern(routingKey),
                "routing-key",
                routingKey,
                "a pattern with * or # (for instance '" + queue
                        + ".#'): with 'key: routing-key' the routing keys are the"
                        + " ordering keys, and this pattern matches only one");
        check(partitions >= 1 && partitions <= MAX_PARTITIONS, "partitions", partitions, "1 to " + MAX_PARTITIONS);
        check(prefetch >= 1 && prefetch <= MAX_PREFETCH, "prefetch", prefetch, "1 to " + MAX_PREFETCH);
        check(
                maxPriority >= 0 && maxPriority <= HIGHEST_MAX_PRIORITY,
                "max-priority",
                maxPriority,
                "1 to " + HIGHEST_MAX_PRIORITY + ", or leave it out");
        check(
                maxPriority == 0 || !ordered,
                "max-priority",
                maxPriority,
                "it with 'ordering: none' only: the broker would change the order of keys");
        check(maxPayload > 0, "max-payload", maxPayload, "1 byte or more");
        check(
                consumerTimeout.compareTo(MIN_CONSUMER_TIMEOUT) >= 0,
                "consumer-timeout",
                consumerTimeout,
                "1 second or more");
    }

    /** Returns settings with every default: unordered, with the broker's names like the queue's. */
    public static RabbitSettings of(String uri, String queue) {
        return new RabbitSettings(
                uri,
                RabbitAccess.OF_ADDRESS,
                queue,
                DEFAULT_EXCHANGE,
                queue,
                queue,
                false,
                KeySource.HEADER,
                DEFAULT_PARTITIONS,
                DEFAULT_PREFETCH,
                0,
                TaskHeaders.DEFAULT_MAX_PAYLOAD,
                DEFAULT_CONSUMER_TIMEOUT);
    }

    public RabbitSettings withAccess(RabbitAccess how) {
        return with(copy -> copy.access = how);
    }

    public RabbitSettings withExchange(String name) {
        return with(copy -> copy.exchange = name);
    }

    public RabbitSettings withRoutingKey(String pattern) {
        return with(copy -> copy.routingKey = pattern);
    }

    public RabbitSettings withBrokerQueue(String name) {
        return with(copy -> copy.brokerQueue = name);
    }

    /** Returns settings with {@code ordering: key}, by the header {@code tandem-key}. */
    public RabbitSettings orderedByHeader() {
        return with(copy -> {
            copy.ordered = true;
            copy.key = KeySource.HEADER;
        });
    }

    /** Returns settings with {@code ordering: key}, by the routing keys that match the pattern. */
    public RabbitSettings orderedByRoutingKey(String pattern) {
        return with(copy -> {
            copy.routingKey = pattern;
            copy.ordered = true;
            copy.key = KeySource.ROUTING_KEY;
        });
    }

    public RabbitSettings withPartitions(int count) {
        return with(copy -> copy.partitions = count);
    }

    public RabbitSettings withPrefetch(int messages) {
        return with(copy -> copy.prefetch = messages);
    }

    public RabbitSettings withMaxPriority(int priority) {
        return with(copy -> copy.maxPriority = priority);
    }

    public RabbitSettings withMaxPayload(int bytes) {
        return with(copy -> copy.maxPayload = bytes);
    }

    public RabbitSettings withConsumerTimeout(Duration timeout) {
        return with(copy -> copy.consumerTimeout = timeout);
    }

    private RabbitSettings with(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return copy.build();
    }

    /** Returns how long a message may stay unacked here: three quarters of the broker's timeout. */
    Duration maxUnacked() {
        return consumerTimeout.dividedBy(4).multipliedBy(3);
    }

    /** Whether the keys of an ordered queue are its routing keys. */
    boolean keyIsRoutingKey() {
        return ordered && key == KeySource.ROUTING_KEY;
    }

    /** Returns the broker's addresses without user and password. */
    String address() {
        return RabbitConnector.withoutCredentials(uri);
    }

    private static boolean isPattern(String routingKey) {
        for (String word : routingKey.split("\\.", -1)) {
            if (word.equals("*") || word.equals("#")) {
                return true;
            }
        }
        return false;
    }

    private static void checkName(String setting, String name) {
        check(!name.isEmpty() && bytes(name) <= MAX_NAME_BYTES, setting, name, "1 to " + MAX_NAME_BYTES + " bytes");
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static void check(boolean valid, String name, Object value, String use) {
        if (!valid) {
            throw new IllegalArgumentException("The RabbitMQ setting '" + name + "' is '" + value + "': use " + use);
        }
    }

    /** Returns the name of the sub-queue of an ordered queue's partition. */
    public static String subQueueName(String brokerQueue, int number) {
        return brokerQueue + "." + number;
    }

    /** Returns the name of the queue where messages wait while there is no ring that leads to the sub-queues. */
    public static String unroutedName(String brokerQueue) {
        return brokerQueue + ".unrouted";
    }

    /** Leaves out the URI's user and password. */
    @Override
    public String toString() {
        return "RabbitSettings[" + address() + " queue=" + queue + " exchange=" + exchange + " routing-key="
                + routingKey + " broker queue=" + brokerQueue + (ordered ? " ordered by " + key : "") + "]";
    }

    /** A copy that is changed before it becomes settings again. */
    private static final class Copy {

        private final String uri;
        private RabbitAccess access;
        private final String queue;
        private String exchange;
        private String routingKey;
        private String brokerQueue;
        private boolean ordered;
        private KeySource key;
        private int partitions;
        private int prefetch;
        private int maxPriority;
        private int maxPayload;
        private Duration consumerTimeout;

        Copy(RabbitSettings from) {
            uri = from.uri;
            access = from.access;
            queue = from.queue;
            exchange = from.exchange;
            routingKey = from.routingKey;
            brokerQueue = from.brokerQueue;
            ordered = from.ordered;
            key = from.key;
            partitions = from.partitions;
            prefetch = from.prefetch;
            maxPriority = from.maxPriority;
            maxPayload = from.maxPayload;
            consumerTimeout = from.consumerTimeout;
        }

        RabbitSettings build() {
            return new RabbitSettings(
                    uri,
                    access,
                    queue,
                    exchange,
                    routingKey,
                    brokerQueue,
                    ordered,
                    key,
                    partitions,
                    prefetch,
                    maxPriority,
                    maxPayload,
                    consumerTimeout);
        }
    }
}
