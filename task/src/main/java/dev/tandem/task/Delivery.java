package dev.tandem.task;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message that a source delivered. The broker has custody of it.
 *
 * @param sequence the number by which the source commits or acks the message: Kafka's offset, or the AMQP delivery tag
 *     together with the number of its channel
 * @param task the task that the message describes; of an unreadable message its payload, its headers and what could be
 *     read
 * @param unreadable why the message cannot be a task, which is then dead at once with this reason; null if it can
 * @param identity RabbitMQ: what a redelivery is recognised by, the message id or else a hash of the content. Kafka:
 *     null
 * @param redelivered whether the broker says that it delivered the message before
 */
public record Delivery(
        long sequence,
        Task task,
        @Nullable String unreadable,
        @Nullable String identity,
        boolean redelivered) {

    public static Delivery of(long sequence, Task task) {
        return new Delivery(sequence, task, null, null, false);
    }

    /**
     * Returns an unreadable message with a key as a task that takes its place among those of its key. It dies when its turn
     * comes, with the reason that {@link Task#unreadable} returns, and means the same to its key as any other death. Any
     * other delivery is returned as it is.
     */
    public Delivery asTaskThatDies() {
        if (unreadable == null || task.key() == null) {
            return this;
        }
        Map<String, String> headers = new LinkedHashMap<>(task.headers());
        headers.put(TaskHeaders.UNREADABLE, unreadable);
        return new Delivery(sequence, task.withHeaders(headers), null, identity, redelivered);
    }
}
