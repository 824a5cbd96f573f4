package dev.tandem.rabbit;

import dev.tandem.task.Partition;
import dev.tandem.task.TaskHeaders;
import java.nio.charset.StandardCharsets;

/**
 * How one queue reads its RabbitMQ queue, or its sub-queues.
 *
 * @param uri {@code amqp://user:password@host:port/vhost}, or {@code amqps:}; several of one cluster separated by commas
 * @param queue the logical queue
 * @param exchange where publishers send to; a durable topic exchange, declared when missing; default: {@code tandem}
 * @param routingKey what binds the queue to the exchange, {@code *} and {@code #} as in every topic exchange; default:
 *     the logical queue's name
 * @param brokerQueue the broker's queue; used as it is if it exists and {@code ordered} is false; with {@code ordered}
 *     the prefix of the sub-queues; default: the logical queue's name
 * @param ordered {@code ordering: key}: sub-queues behind a consistent-hash exchange, each with one active consumer
 * @param key what spreads the messages of an ordered queue over its sub-queues, and orders them
 * @param partitions ordered: sub-queues to make (those that exist are all used); else: how many processes at most may
 *     consume, since each needs a partition of its own
 * @param prefetch unacked messages of one channel, that is of one partition, 1 to 65,535; those that await durability
 *     count too
 * @param maxPayload bytes; a message with a longer payload is unreadable
 */
public record RabbitSettings(
        String uri,
        String queue,
        String exchange,
        String routingKey,
        String brokerQueue,
        boolean ordered,
        KeySource key,
        int partitions,
        int prefetch,
        int maxPayload) {

    public static final String DEFAULT_EXCHANGE = "tandem";
    public static final int DEFAULT_PARTITIONS = 16;
    public static final int DEFAULT_PREFETCH = 5_000;

    private static final int MAX_PARTITIONS = 1_000;
    /** AMQP's limit is 255; what we append to make other names needs some. */
    private static final int MAX_NAME = 200;

    private static final int MAX_ROUTING_KEY = 255;
    private static final int MAX_PREFETCH = 65_535;

    /** Where an ordered queue's key is found. */
    public enum KeySource {
        /** The header {@code tandem-key}, which publishers must send as text. */
        HEADER,
        /** The routing key, so that publishers need to know nothing of Tandem. */
        ROUTING_KEY
    }

    /** @throws IllegalArgumentException naming the setting, its value and what is allowed */
    public RabbitSettings {
        Client.check(uri);
        check(Partition.isName(queue), "queue", queue, "1 to 200 letters, digits, dots, underscores or hyphens");
        checkName("exchange", exchange);
        checkName("queue", brokerQueue);
        check(
                !brokerQueue.startsWith("amq."),
                "queue",
                brokerQueue,
                "another name: those that begin with amq. belong to the broker");
        check(bytes(routingKey) <= MAX_ROUTING_KEY, "routing-key", routingKey, "up to 255 bytes");
        check(
                !ordered || key == KeySource.HEADER || isPattern(routingKey),
                "routing-key",
                routingKey,
                "a pattern with * or # (for instance '" + queue + ".#'): with key: routing-key the routing keys are the"
                        + " ordering keys, and this pattern lets only one through");
        check(partitions >= 1 && partitions <= MAX_PARTITIONS, "partitions", partitions, "1 to " + MAX_PARTITIONS);
        check(prefetch >= 1 && prefetch <= MAX_PREFETCH, "prefetch", prefetch, "1 to " + MAX_PREFETCH);
        check(maxPayload > 0, "max-payload", maxPayload, "1 byte or more");
    }

    /** With every default: unordered, everything named as the queue. */
    public static RabbitSettings of(String uri, String queue) {
        return new RabbitSettings(
                uri,
                queue,
                DEFAULT_EXCHANGE,
                queue,
                queue,
                false,
                KeySource.HEADER,
                DEFAULT_PARTITIONS,
                DEFAULT_PREFETCH,
                TaskHeaders.DEFAULT_MAX_PAYLOAD);
    }

    public RabbitSettings withExchange(String name) {
        return new RabbitSettings(
                uri, queue, name, routingKey, brokerQueue, ordered, key, partitions, prefetch, maxPayload);
    }

    public RabbitSettings withRoutingKey(String pattern) {
        return new RabbitSettings(
                uri, queue, exchange, pattern, brokerQueue, ordered, key, partitions, prefetch, maxPayload);
    }

    public RabbitSettings withBrokerQueue(String name) {
        return new RabbitSettings(
                uri, queue, exchange, routingKey, name, ordered, key, partitions, prefetch, maxPayload);
    }

    /** {@code ordering: key}, by the header {@code tandem-key}. */
    public RabbitSettings orderedByHeader() {
        return new RabbitSettings(
                uri,
                queue,
                exchange,
                routingKey,
                brokerQueue,
                true,
                KeySource.HEADER,
                partitions,
                prefetch,
                maxPayload);
    }

    /** {@code ordering: key}, by the routing keys that match the pattern. */
    public RabbitSettings orderedByRoutingKey(String pattern) {
        return new RabbitSettings(
                uri,
                queue,
                exchange,
                pattern,
                brokerQueue,
                true,
                KeySource.ROUTING_KEY,
                partitions,
                prefetch,
                maxPayload);
    }

    public RabbitSettings withPartitions(int count) {
        return new RabbitSettings(
                uri, queue, exchange, routingKey, brokerQueue, ordered, key, count, prefetch, maxPayload);
    }

    public RabbitSettings withPrefetch(int messages) {
        return new RabbitSettings(
                uri, queue, exchange, routingKey, brokerQueue, ordered, key, partitions, messages, maxPayload);
    }

    public RabbitSettings withMaxPayload(int bytes) {
        return new RabbitSettings(
                uri, queue, exchange, routingKey, brokerQueue, ordered, key, partitions, prefetch, bytes);
    }

    /** The keys of an ordered queue are its routing keys. */
    boolean keyIsRoutingKey() {
        return ordered && key == KeySource.ROUTING_KEY;
    }

    /** The broker, without user and password. */
    String address() {
        return Client.shown(uri);
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
        check(!name.isEmpty() && bytes(name) <= MAX_NAME, setting, name, "1 to " + MAX_NAME + " bytes");
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static void check(boolean fine, String name, Object value, String use) {
        if (!fine) {
            throw new IllegalArgumentException("The RabbitMQ setting '" + name + "' is '" + value + "': use " + use);
        }
    }

    /** The sub-queue of an ordered queue's partition. */
    public static String subQueueName(String brokerQueue, int number) {
        return brokerQueue + "." + number;
    }

    /** Where messages of an ordered queue wait while there is no way to its sub-queues. */
    public static String unroutedName(String brokerQueue) {
        return brokerQueue + ".unrouted";
    }

    /** Without the URI's user and password. */
    @Override
    public String toString() {
        return "RabbitSettings[" + address() + " queue=" + queue + " exchange=" + exchange + " routing-key="
                + routingKey + " broker queue=" + brokerQueue + (ordered ? " ordered by " + key : "") + "]";
    }
}
