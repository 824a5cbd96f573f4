package dev.tandem.server.inspect;

/** Port: the partitions of the topics of queues. Thread-safe. All methods may throw {@link UnavailableException}. */
public interface TopicPartitions {

    /** Thrown when the broker refuses. The message says why. */
    final class RefusedException extends RuntimeException {

        public RefusedException(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Returns how many partitions the topic of a queue has now.
     *
     * @throws RefusedException if it has no topic
     */
    int count(String queue);

    /**
     * Gives the topic more partitions.
     *
     * @throws RefusedException if the broker does not do it
     */
    void grow(String queue, int to);
}
