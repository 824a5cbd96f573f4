package dev.tandem.rabbit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The exchanges, queues and bindings that a queue needs on its broker: their names, types and arguments, computed
 * without asking the broker. All of them are durable, except for the {@linkplain #ring ring} of an ordered queue.
 * Nothing is deleted automatically.
 *
 * <p>Brokers differ:
 *
 * <ul>
 *   <li>RabbitMQ 3.10 and later gets quorum queues. Every closed channel counts as one delivery of each message that it
 *       held. RabbitMQ 4 drops a message after 20 deliveries if it has no dead-letter exchange; RabbitMQ 3 has no limit
 *       unless one is set. So a limit is set that only a bug could reach (Tandem counts attempts itself), and there is
 *       always a place for dead letters. With a limit, returned messages are redelivered first; without one, RabbitMQ 4
 *       puts them at the back. Arguments of mirrored queues ({@code ha-}, {@code x-queue-mode}) are not used, since
 *       RabbitMQ 4 ignores or refuses them.
 *   <li>Any other broker (Apache Qpid Broker-J) gets durable queues without {@code x-} arguments, since it closes the
 *       connection if it does not know one. It supports {@code ordering: none} only, since only RabbitMQ has the
 *       consistent-hash exchange.
 * </ul>
 */
final class QueueTopology {

    static final String HASH_TYPE = "x-consistent-hash";

    /** Only classic queues have it. */
    static final String MAX_PRIORITY = "x-max-priority";

    /** Far more than failing executors can cause. A message that reaches it is kept as a dead letter. */
    static final int DELIVERY_LIMIT = 1_000_000;

    /** The same for all sub-queues, so that each gets the same share of keys. */
    private static final String WEIGHT = "1";

    private QueueTopology() {}

    /** An exchange, a queue or a binding. */
    sealed interface Part {}

    record Exchange(String name, String type, boolean durable, Map<String, Object> arguments) implements Part {
        /** Creates a durable exchange. */
        Exchange(String name, String type, Map<String, Object> arguments) {
            this(name, type, true, arguments);
        }
    }

    record Queue(String name, Map<String, Object> arguments) implements Part {}

    record QueueBinding(String queue, String exchange, String key) implements Part {}

    record ExchangeBinding(String destination, String source, String key) implements Part {}

    /**
     * Returns the parts of an unordered queue, which is one queue that consumers compete for.
     *
     * @param declaredByOthers whether the queue exists with other arguments, so that it is only bound
     */
    static List<Part> unordered(RabbitSettings settings, BrokerProduct broker, boolean declaredByOthers) {
        List<Part> parts = new ArrayList<>();
        parts.add(new Exchange(settings.exchange(), "topic", Map.of()));
        if (!declaredByOthers) {
            if (broker.isRabbit()) {
                addDeadLetters(settings, parts);
            }
            parts.add(unorderedQueue(settings, broker));
        }
        parts.add(new QueueBinding(settings.brokerQueue(), settings.exchange(), settings.routingKey()));
        return parts;
    }

    /** Returns the broker's queue of an unordered queue. */
    static Queue unorderedQueue(RabbitSettings settings, BrokerProduct broker) {
        if (settings.maxPriority() > 0) {
            return new Queue(
                    settings.brokerQueue(),
                    Map.of(
                            "x-queue-type",
                            "classic",
                            MAX_PRIORITY,
                            settings.maxPriority(),
                            "x-dead-letter-exchange",
                            deadLetterName(settings)));
        }
        return new Queue(
                settings.brokerQueue(),
                broker.isRabbit() ? quorumArguments(deadLetterName(settings), false) : Map.of());
    }

    /**
     * Returns the durable parts of an ordered queue: its sub-queues, and the exchanges that lead to the ring. While
     * there is no ring, messages wait in the queue of unrouted messages.
     */
    static List<Part> ordered(RabbitSettings settings, int subQueues) {
        List<Part> parts = new ArrayList<>();
        parts.add(new Exchange(settings.exchange(), "topic", Map.of()));
        addDeadLetters(settings, parts);
        for (String name : subQueueNames(settings, subQueues)) {
            parts.add(new Queue(name, quorumArguments(deadLetterName(settings), true)));
        }
        String unrouted = unroutedName(settings);
        parts.add(new Exchange(unrouted, "fanout", Map.of()));
        parts.add(new Queue(unrouted, quorumArguments(deadLetterName(settings), false)));
        parts.add(new QueueBinding(unrouted, unrouted, ""));
        parts.add(new Exchange(keysExchange(settings), "fanout", Map.of("alternate-exchange", unrouted)));
        parts.add(new ExchangeBinding(keysExchange(settings), settings.exchange(), settings.routingKey()));
        return parts;
    }

    /**
     * Returns the ring: the consistent-hash exchange and its bindings. The exchange assigns its buckets in the order in
     * which the bindings are made. RabbitMQ restores the bindings of a durable exchange in random order when it starts,
     * so keys would move. Therefore the exchange is not durable, and Tandem makes the bindings in the order of the
     * sub-queues.
     */
    static List<Part> ring(RabbitSettings settings, int subQueues) {
        List<Part> parts = new ArrayList<>();
        parts.add(new Exchange(
                ringExchange(settings),
                HASH_TYPE,
                false,
                settings.keyIsRoutingKey() ? Map.of() : Map.of("hash-header", "tandem-key")));
        for (String name : subQueueNames(settings, subQueues)) {
            parts.add(new QueueBinding(name, ringExchange(settings), WEIGHT));
        }
        return parts;
    }

    /** Returns the binding that lets messages reach the ring. Made last, since keys move while the ring grows. */
    static ExchangeBinding ringBinding(RabbitSettings settings) {
        return new ExchangeBinding(ringExchange(settings), keysExchange(settings), "");
    }

    static List<String> subQueueNames(RabbitSettings settings, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> subQueueName(settings, i))
                .toList();
    }

    static String subQueueName(RabbitSettings settings, int number) {
        return RabbitSettings.subQueueName(settings.brokerQueue(), number);
    }

    /**
     * Returns the name of the exchange before the ring. It is durable and has another name for each kind of key, so
     * that processes with different settings are noticed and cannot both receive every message.
     */
    static String keysExchange(RabbitSettings settings) {
        return settings.brokerQueue() + (settings.keyIsRoutingKey() ? ".routing-keys" : ".keys");
    }

    /** Returns the name of the exchange for the other kind of key, which must not exist. */
    static String otherKeysExchange(RabbitSettings settings) {
        return settings.brokerQueue() + (settings.keyIsRoutingKey() ? ".keys" : ".routing-keys");
    }

    /** Returns the name of the consistent-hash exchange. */
    static String ringExchange(RabbitSettings settings) {
        return keysExchange(settings) + ".ring";
    }

    /**
     * Returns the name of the exclusive queue that a process holds while it builds the ring. It ends with its
     * connection.
     */
    static String ringLockQueue(RabbitSettings settings) {
        return settings.brokerQueue() + ".ring-lock";
    }

    /** Returns the name of the exchange and of the queue for messages that arrive while there is no ring. */
    static String unroutedName(RabbitSettings settings) {
        return RabbitSettings.unroutedName(settings.brokerQueue());
    }

    static String deadLetterName(RabbitSettings settings) {
        return settings.brokerQueue() + ".dead-letter";
    }

    /** Adds the place for messages that the broker would otherwise drop. Only people consume it. */
    private static void addDeadLetters(RabbitSettings settings, List<Part> parts) {
        String name = deadLetterName(settings);
        parts.add(new Exchange(name, "fanout", Map.of()));
        parts.add(new Queue(name, Map.of("x-queue-type", "quorum", "x-delivery-limit", DELIVERY_LIMIT)));
        parts.add(new QueueBinding(name, name, ""));
    }

    private static Map<String, Object> quorumArguments(String deadLetterExchange, boolean singleActive) {
        Map<String, Object> arguments = new LinkedHashMap<>();
        arguments.put("x-queue-type", "quorum");
        arguments.put("x-delivery-limit", DELIVERY_LIMIT);
        arguments.put("x-dead-letter-exchange", deadLetterExchange);
        // Otherwise a dead letter could be lost on its way. This strategy requires the overflow setting, although the
        // length is not limited.
        arguments.put("x-dead-letter-strategy", "at-least-once");
        arguments.put("x-overflow", "reject-publish");
        if (singleActive) {
            arguments.put("x-single-active-consumer", true);
        }
        return arguments;
    }
}
