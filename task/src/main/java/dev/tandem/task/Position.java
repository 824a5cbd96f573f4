package dev.tandem.task;

/**
 * The name of one delivered task within its partition. Opaque to all but the ingress that made it. Kafka: incarnation
 * and offset. RabbitMQ: identity, writer and arrival number, given at the first delivery.
 *
 * @param text 1 to 64 printable ASCII characters
 */
public record Position(String text) {

    /** Returns the position of a Kafka record. Equal offsets of different incarnations have different positions. */
    public static Position of(long incarnation, long offset) {
        return new Position(incarnation + ":" + offset);
    }

    /** Returns the offset of a Kafka record, in whatever incarnation. */
    public long offset() {
        return Long.parseLong(text, text.indexOf(':') + 1, text.length(), 10);
    }

    /** Returns the offset of a Kafka record if this is a position of the given incarnation, else -1. */
    public long offsetIn(long incarnation) {
        return text.startsWith(incarnation + ":") ? offset() : -1;
    }

    @Override
    public String toString() {
        return text;
    }
}
