package dev.tandem.server.doctor;

import dev.tandem.rabbit.ForgottenQueues;
import dev.tandem.rabbit.QueueExam;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Facts about the broker of RabbitMQ's queues.
 *
 * @param failure why it could not be asked; null if it answered
 * @param broker null if it could not be asked
 */
public record RabbitFacts(@Nullable String failure, QueueExam.@Nullable Broker broker, List<Queue> queues) {

    /**
     * A queue of Tandem.
     *
     * @param ordered whether its sub-queues must be as Tandem declares them
     * @param failure why nothing is known of it; null if something is
     * @param forgotten the broker's queues that another ordering has left; null if there are none
     * @param management what the management plugin says; null if it is not asked
     */
    public record Queue(
            String name,
            boolean ordered,
            @Nullable String failure,
            List<QueueExam.Look> looks,
            @Nullable ForgottenQueues forgotten,
            @Nullable Management management) {}

    /**
     * The answer of the management plugin about the broker's queues.
     *
     * @param failure why it says nothing; null if it does
     */
    public record Management(@Nullable String failure, List<Managed> queues) {}

    /**
     * A queue of the broker with what AMQP does not show.
     *
     * @param type such as {@code quorum}
     * @param arguments those with which it was declared
     * @param policy the name of the policy that applies to it; null if none does
     * @param effective what that policy, and one of the operator, set together
     */
    public record Managed(
            String name,
            String type,
            boolean durable,
            Map<String, Object> arguments,
            @Nullable String policy,
            Map<String, Object> effective) {}
}
