package dev.tandem.task;

import org.jspecify.annotations.Nullable;

/**
 * One message as a source delivered it, in the broker's custody.
 *
 * @param sequence what the source commits or acks it by: Kafka's offset, or the AMQP delivery tag and its
 *     channel's number
 * @param task what it asks for; when it can't be read, what could be saved of it (bytes and headers)
 * @param unreadable null, or why the message can't be a task; such a task is dead at once with this reason
 * @param identity RabbitMQ: what a redelivery is recognised by (message id, else content hash); Kafka: null
 * @param redelivered the broker says that it delivered this before
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
}
