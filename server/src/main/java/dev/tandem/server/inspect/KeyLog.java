package dev.tandem.server.inspect;

import dev.tandem.kafka.LogPart;

/** Port: reads the records of a key from the log of a queue, within bounds. Disturbs nobody who reads the log. Thread-safe. */
public interface KeyLog {

    /** Thrown when as many read logs as may at once. */
    final class BusyException extends RuntimeException {
        public BusyException(String message) {
            super(message);
        }
    }

    /**
     * Reads. Takes some seconds at most.
     *
     * @param queue a queue of Kafka
     * @param before the offset behind the last record to look at; -1 for the end of the log
     * @throws UnavailableException if the broker does not answer, or refuses it
     * @throws BusyException if too many read at once
     */
    LogPart read(String queue, String partition, String key, long before);
}
