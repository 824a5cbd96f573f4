package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the broker's queues of one queue, and changes nothing. AMQP does not show what a queue is: a queue that exists is
 * declared as executors declare it whenever they connect, and the broker's refusal names what is different. If the queue is deleted
 * meanwhile, this declares none: see {@link #ONLY_EXISTING}.
 */
public final class QueueExam {

    /**
     * One queue of the broker.
     *
     * @param exists whether the broker has it
     * @param ready how many messages wait in it
     * @param difference what of it is not as Tandem declares it, such as {@code x-message-ttl}; empty if nothing is, or that
     *     cannot be told
     * @param refusal the broker's own words; empty if there are none
     * @param deadLetters whether it has the messages that the broker gave up
     */
    public record Look(
            String name, boolean exists, long ready, String difference, String refusal, boolean deadLetters) {}

    /** A broker, with the name that it gives itself. @param supported whether Tandem runs on this version */
    public record Broker(String name, boolean rabbit, boolean supported) {

        public static Broker of(Connection connection) {
            BrokerProduct product = BrokerProduct.of(connection.getServerProperties());
            return new Broker(
                    product.toString(), product.isRabbit(), !product.isRabbit() || !product.isOlderThan(3, 10));
        }
    }

    /**
     * An argument with a wrong value. Only the queues of streams have it, so RabbitMQ does not compare it with that of a queue that
     * exists; but it declares no queue with it.
     */
    private static final Map.Entry<String, String> ONLY_EXISTING = Map.entry("x-max-age", "never-made-by-the-doctor");

    private final RabbitSettings settings;
    private final BrokerProduct broker;
    private final DeclareChannel channel;

    private QueueExam(Connection connection, RabbitSettings settings) {
        this.settings = settings;
        this.broker = BrokerProduct.of(connection.getServerProperties());
        this.channel = new DeclareChannel(connection);
    }

    /**
     * Looks at the broker's queues of one queue.
     *
     * @throws IOException if the connection breaks
     */
    public static List<Look> of(Connection connection, RabbitSettings settings) throws IOException {
        QueueExam exam = new QueueExam(connection, settings);
        try {
            return exam.look();
        } finally {
            exam.channel.close();
        }
    }

    /**
     * Returns the broker's queues that another ordering has left.
     *
     * @throws IOException if the connection breaks
     */
    public static Optional<ForgottenQueues> forgotten(Connection connection, RabbitSettings settings)
            throws IOException {
        DeclareChannel channel = new DeclareChannel(connection);
        try {
            return ForgottenQueues.find(channel, settings, ForgottenQueues.MOST);
        } finally {
            channel.close();
        }
    }

    private List<Look> look() throws IOException {
        List<Look> looks = new ArrayList<>();
        for (QueueTopology.Part part : settings.ordered()
                ? QueueTopology.ordered(settings, settings.partitions())
                : QueueTopology.unordered(settings, broker, false)) {
            if (part instanceof QueueTopology.Queue queue) {
                looks.add(look(queue));
            }
        }
        return looks;
    }

    private Look look(QueueTopology.Queue queue) throws IOException {
        boolean deadLetters = queue.name().equals(QueueTopology.deadLetterName(settings));
        AMQP.Queue.@Nullable DeclareOk[] found = new AMQP.Queue.DeclareOk[1];
        IOException missing = channel.attempt(c -> found[0] = c.queueDeclarePassive(queue.name()));
        AMQP.Queue.DeclareOk there = found[0];
        if (missing != null || there == null) {
            requireOpen(missing);
            boolean exists = BrokerErrors.replyCode(missing) != BrokerErrors.NOT_FOUND;
            return new Look(queue.name(), exists, 0, "", BrokerErrors.replyText(missing), deadLetters);
        }
        IOException refusal = broker.isRabbit() ? compare(channel, queue.name(), queue.arguments()) : null;
        requireOpen(refusal);
        String difference = refusal == null ? "" : DeclareRefusals.differingArgument(refusal);
        if (difference.isEmpty() && BrokerErrors.replyText(refusal).contains(ONLY_EXISTING.getKey())) {
            boolean isGone = channel.attempt(c -> c.queueDeclarePassive(queue.name())) != null;
            String why = isGone ? "" : "this broker does not compare it with another declaration";
            return new Look(queue.name(), !isGone, isGone ? 0 : there.getMessageCount(), "", why, deadLetters);
        }
        return new Look(
                queue.name(),
                true,
                there.getMessageCount(),
                difference.equals(ONLY_EXISTING.getKey()) ? "x-queue-type" : difference,
                BrokerErrors.replyText(refusal),
                deadLetters);
    }

    /** Returns how a queue that exists differs from such a one; null if it does not. Refused for one that does not exist. */
    static @Nullable IOException compare(DeclareChannel channel, String name, Map<String, Object> arguments)
            throws IOException {
        Map<String, Object> unmakable = new HashMap<>(arguments);
        unmakable.put(ONLY_EXISTING.getKey(), ONLY_EXISTING.getValue());
        return channel.attempt(c -> c.queueDeclare(name, true, false, false, unmakable));
    }

    /** A refusal closes a channel only. */
    private static void requireOpen(@Nullable IOException failure) throws IOException {
        if (failure != null && (BrokerErrors.replyCode(failure) == 0 || BrokerErrors.isConnectionClosed(failure))) {
            throw failure;
        }
    }
}
