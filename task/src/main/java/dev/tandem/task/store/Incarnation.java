package dev.tandem.task.store;

/** Which numbering of a partition's positions a request is about. */
public sealed interface Incarnation {

    /** A message queue (RabbitMQ), whose positions have no offsets. Settled positions are noted on identity pages. */
    Incarnation NO_OFFSETS = NoOffsets.INSTANCE;

    /** Returns the incarnation of a log with this number, 0 or more. */
    static Incarnation of(long number) {
        return new OfLog(number);
    }

    /** Whether this is a log's incarnation with this number. */
    default boolean is(long number) {
        return this instanceof OfLog log && log.number == number;
    }

    /**
     * A log (Kafka).
     *
     * @param number how often its offsets have started anew, 0 or more
     */
    record OfLog(long number) implements Incarnation {

        public OfLog {
            if (number < 0) {
                throw new IllegalArgumentException("The incarnation is " + number + ", it must be 0 or more");
            }
        }
    }

    /** The only value of a message queue. */
    enum NoOffsets implements Incarnation {
        INSTANCE
    }
}
