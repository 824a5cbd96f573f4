package dev.tandem.task;

/**
 * The identity of a task in its partition, opaque to everything but the ingress that made it. Kafka: incarnation and
 * offset. RabbitMQ: random, given at the first delivery.
 *
 * @param text 1 to 64 printable ASCII characters
 */
public record Position(String text) {

    /** The position of a Kafka record; offsets of different incarnations never meet. */
    public static Position of(long incarnation, long offset) {
        return new Position(incarnation + ":" + offset);
    }

    @Override
    public String toString() {
        return text;
    }
}
