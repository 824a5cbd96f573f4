package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.Queue.DeclareOk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The broker's queues that another {@code ordering} of a queue has left beside those that are used: the plain queue of
 * {@code none}, or the sub-queues of {@code key}. They are bound still, and nobody consumes them.
 *
 * @param names those of the broker, at least one
 * @param ready how many messages wait in them
 * @param madeFor the ordering that needs them
 * @param used what is used instead, for people
 */
public record ForgottenQueues(List<String> names, long ready, String madeFor, String used) {

    /** More sub-queues than that are not counted. */
    static final int MOST = 1_000;

    /**
     * Finds those of a queue.
     *
     * @param most how many to look for
     * @throws IOException if the connection breaks
     */
    static Optional<ForgottenQueues> find(DeclareChannel channel, RabbitSettings settings, int most)
            throws IOException {
        List<String> names = new ArrayList<>();
        long ready = 0;
        for (int number = 0; number < (settings.ordered() ? 1 : most); number++) {
            String name = settings.ordered() ? settings.brokerQueue() : QueueTopology.subQueueName(settings, number);
            DeclareOk found = look(channel, name);
            if (found == null) {
                break;
            }
            names.add(name);
            ready += found.getMessageCount();
        }
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(new ForgottenQueues(
                        List.copyOf(names),
                        ready,
                        settings.ordered() ? "none" : "key",
                        settings.ordered()
                                ? "'" + QueueTopology.subQueueName(settings, 0) + "' and further sub-queues"
                                : "'" + settings.brokerQueue() + "'"));
    }

    private static @Nullable DeclareOk look(DeclareChannel channel, String name) throws IOException {
        @Nullable DeclareOk[] found = new DeclareOk[1];
        IOException refusal = channel.attempt(c -> found[0] = c.queueDeclarePassive(name));
        if (refusal != null) {
            DeclareRefusals.requireReply(refusal);
        }
        return found[0];
    }

    /** Says what is there, in a sentence without its end. */
    public String says() {
        boolean one = names.size() == 1;
        return (one
                        ? "the queue '" + names.get(0) + "' stands"
                        : names.size() + " queues stand, '" + names.get(0) + "' to '" + names.get(names.size() - 1)
                                + "',")
                + " beside " + used + ". If 'ordering: " + madeFor + "' made "
                + (one ? "it, it still gets" : "them, they" + " still get") + " every message, and nobody consumes "
                + (one ? "it" : "them") + "; "
                + (ready == 0 ? "no message waits" : ready == 1 ? "1 message waits" : ready + " messages wait")
                + " there";
    }

    /** Says what to do, in sentences. */
    public String remedy() {
        return "Delete what is empty. For messages from before the change, stop the publishers, set 'ordering: "
                + madeFor + "' until they have run, and then change it (docs/rabbitmq.md#existing-queues)";
    }
}
