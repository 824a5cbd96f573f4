package dev.tandem.rabbit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What a queue needs on its broker: names, kinds and arguments, decided without asking it. All of it is durable, but for
 * the {@linkplain #ring ring} of an ordered queue; nothing is deleted by itself.
 *
 * <p>Where brokers differ:
 *
 * <ul>
 *   <li>RabbitMQ 3.10 and later: quorum queues. 3.x has no delivery limit unless one is set; 4.x has one of 20, after
 *       which it drops a message that has no dead-letter exchange, and every closed channel counts one for all that it
 *       held. So the limit is set, far above what anything but a bug reaches (attempts are counted by Tandem), and
 *       there is always a place for dead letters. With a limit, returned messages come again first; without, 4.x puts
 *       them at the back. 4.x also ignores or refuses what only mirrored queues knew ({@code ha-}, {@code
 *       x-queue-mode}): none of it is used.
 *   <li>Anything else (Apache Qpid Broker-J): durable queues without any {@code x-} argument, since unknown ones close
 *       the connection there; only {@code ordering: none}, since no other broker has the consistent-hash exchange.
 * </ul>
 */
final class Topology {

    static final String HASH_TYPE = "x-consistent-hash";

    /** No failure of an executor comes near it; a message that does is kept as a dead letter. */
    static final int DELIVERY_LIMIT = 1_000_000;

    /** Every sub-queue gets the same share of keys. */
    private static final String WEIGHT = "1";

    private Topology() {}

    /** One thing to be there. */
    sealed interface Part {}

    record Exchange(String name, String type, boolean durable, Map<String, Object> arguments) implements Part {
        /** A durable one. */
        Exchange(String name, String type, Map<String, Object> arguments) {
            this(name, type, true, arguments);
        }
    }

    record Queue(String name, Map<String, Object> arguments) implements Part {}

    record QueueBinding(String queue, String exchange, String key) implements Part {}

    record ExchangeBinding(String destination, String source, String key) implements Part {}

    /**
     * One queue that consumers compete for.
     *
     * @param foreign it exists and is not as we make them: left as it is
     */
    static List<Part> unordered(RabbitSettings settings, Broker broker, boolean foreign) {
        List<Part> parts = new ArrayList<>();
        parts.add(new Exchange(settings.exchange(), "topic", Map.of()));
        if (!foreign) {
            if (broker.isRabbit()) {
                deadLetters(settings, parts);
            }
            parts.add(queue(settings, broker));
        }
        parts.add(new QueueBinding(settings.brokerQueue(), settings.exchange(), settings.routingKey()));
        return parts;
    }

    /** The queue of an unordered one, as we make them. */
    static Queue queue(RabbitSettings settings, Broker broker) {
        return new Queue(
                settings.brokerQueue(), broker.isRabbit() ? quorum(deadLetterName(settings), false) : Map.of());
    }

    /**
     * What an ordered queue keeps over a restart: its sub-queues, and the way of a message as far as the exchange that
     * leads to the ring. A message that finds no ring behind it waits in the queue of the unrouted.
     */
    static List<Part> ordered(RabbitSettings settings, int subQueues) {
        List<Part> parts = new ArrayList<>();
        parts.add(new Exchange(settings.exchange(), "topic", Map.of()));
        deadLetters(settings, parts);
        for (String name : subQueueNames(settings, subQueues)) {
            parts.add(new Queue(name, quorum(deadLetterName(settings), true)));
        }
        String unrouted = unroutedName(settings);
        parts.add(new Exchange(unrouted, "fanout", Map.of()));
        parts.add(new Queue(unrouted, quorum(deadLetterName(settings), false)));
        parts.add(new QueueBinding(unrouted, unrouted, ""));
        parts.add(new Exchange(keysName(settings), "fanout", Map.of("alternate-exchange", unrouted)));
        parts.add(new ExchangeBinding(keysName(settings), settings.exchange(), settings.routingKey()));
        return parts;
    }

    /**
     * The consistent-hash exchange with its bindings. It gives its buckets to them in the order in which they are made,
     * and RabbitMQ makes those of a durable one anew when it starts, in an order left to chance. So it is not durable,
     * and made by us, in the order of the sub-queues.
     */
    static List<Part> ring(RabbitSettings settings, int subQueues) {
        List<Part> parts = new ArrayList<>();
        parts.add(new Exchange(
                ringName(settings),
                HASH_TYPE,
                false,
                settings.keyIsRoutingKey() ? Map.of() : Map.of("hash-header", "tandem-key")));
        for (String name : subQueueNames(settings, subQueues)) {
            parts.add(new QueueBinding(name, ringName(settings), WEIGHT));
        }
        return parts;
    }

    /** Opens the way to the ring. Made last: while the ring grows, keys move. */
    static ExchangeBinding wayToRing(RabbitSettings settings) {
        return new ExchangeBinding(ringName(settings), keysName(settings), "");
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
     * The exchange before the ring. Another one for each kind of key: it is durable, so that processes which are set to
     * different ones can never both bring every message in.
     */
    static String keysName(RabbitSettings settings) {
        return settings.brokerQueue() + (settings.keyIsRoutingKey() ? ".routing-keys" : ".keys");
    }

    /** The exchange that must not be there: it leads to the ring of the other kind of key. */
    static String otherKeysName(RabbitSettings settings) {
        return settings.brokerQueue() + (settings.keyIsRoutingKey() ? ".keys" : ".routing-keys");
    }

    /** The consistent-hash exchange. */
    static String ringName(RabbitSettings settings) {
        return keysName(settings) + ".ring";
    }

    /** The exclusive queue of whoever makes the ring. It ends with its connection, and so does the right to make it. */
    static String lockName(RabbitSettings settings) {
        return settings.brokerQueue() + ".ring-lock";
    }

    /** Exchange and queue for messages that come while there is no ring. */
    static String unroutedName(RabbitSettings settings) {
        return RabbitSettings.unroutedName(settings.brokerQueue());
    }

    static String deadLetterName(RabbitSettings settings) {
        return settings.brokerQueue() + ".dead-letter";
    }

    /** Where a message goes that the broker would otherwise drop; nobody consumes it but people. */
    private static void deadLetters(RabbitSettings settings, List<Part> parts) {
        String name = deadLetterName(settings);
        parts.add(new Exchange(name, "fanout", Map.of()));
        parts.add(new Queue(name, Map.of("x-queue-type", "quorum", "x-delivery-limit", DELIVERY_LIMIT)));
        parts.add(new QueueBinding(name, name, ""));
    }

    private static Map<String, Object> quorum(String deadLetterExchange, boolean singleActive) {
        Map<String, Object> arguments = new LinkedHashMap<>();
        arguments.put("x-queue-type", "quorum");
        arguments.put("x-delivery-limit", DELIVERY_LIMIT);
        arguments.put("x-dead-letter-exchange", deadLetterExchange);
        // Else a dead letter may be lost on its way. This strategy asks for the overflow, though no length is limited.
        arguments.put("x-dead-letter-strategy", "at-least-once");
        arguments.put("x-overflow", "reject-publish");
        if (singleActive) {
            arguments.put("x-single-active-consumer", true);
        }
        return arguments;
    }
}
