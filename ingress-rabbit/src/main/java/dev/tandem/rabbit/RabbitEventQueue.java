package dev.tandem.rabbit;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.task.event.EventKind;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A durable RabbitMQ queue that keeps events until a {@link RabbitEventReader} reads them. It is bound to the exchanges of the queues
 * whose events they are. Beyond its bound the broker drops the oldest events.
 *
 * @param maxBytes the bound of the queue
 */
public record RabbitEventQueue(String name, long maxBytes) {

    /** @param settings of the queue whose events they are; its access is used if it is the first */
    public record Bound(RabbitSettings settings, String exchange) {}

    /**
     * Declares it and binds it. May be repeated.
     *
     * @return the broker's refusal if the queue exists with other arguments, and is used as it is; null if it has these
     */
    @Nullable
    IOException declare(Connection on, List<Bound> bound) throws IOException {
        Map<String, Object> arguments = arguments(BrokerProduct.of(on.getServerProperties()));
        DeclareChannel declaring = new DeclareChannel(on);
        IOException other = declaring.attempt(its -> its.queueDeclare(name, true, false, false, arguments));
        if (other != null && BrokerErrors.replyCode(other) != BrokerErrors.PRECONDITION_FAILED) {
            throw other;
        }
        for (Bound each : bound) {
            IOException refused = declaring.attempt(its -> bind(its, each));
            if (refused != null) {
                throw refused;
            }
        }
        declaring.close();
        return other;
    }

    private void bind(Channel on, Bound to) throws IOException {
        on.exchangeDeclare(to.exchange(), BuiltinExchangeType.TOPIC, true);
        for (EventKind kind : EventKind.values()) {
            on.queueBind(name, to.exchange(), to.settings().queue() + "." + kind.text());
        }
    }

    /** Returns the arguments of the queue. Brokers may refuse those that they do not know. */
    private Map<String, Object> arguments(BrokerProduct broker) {
        Map<String, Object> arguments = new LinkedHashMap<>();
        if (broker.isRabbit()) {
            arguments.put("x-queue-type", "quorum");
            arguments.put("x-delivery-limit", QueueTopology.DELIVERY_LIMIT);
            arguments.put("x-single-active-consumer", true);
            arguments.put("x-max-length-bytes", maxBytes);
            arguments.put("x-overflow", "drop-head");
        } else if (broker.isQpid()) {
            arguments.put("qpid.max_size", maxBytes);
            arguments.put("qpid.policy_type", "ring");
        }
        return arguments;
    }
}
