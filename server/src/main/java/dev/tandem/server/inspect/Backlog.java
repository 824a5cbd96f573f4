package dev.tandem.server.inspect;

import java.util.Map;

/** Port: counts the messages that wait in a queue's broker. Thread-safe. Takes a second or two at most. */
public interface Backlog {

    /**
     * Returns the number of unsettled messages by partition, with "" for those that belong to no partition. Empty if
     * the broker does not answer.
     */
    Map<String, Long> of(String queue);

    /** Returns the offset behind the last record of each partition. Empty if there are no offsets, or no answer. */
    default Map<String, Long> ends(String queue) {
        return Map.of();
    }

    /**
     * Returns the offset of each partition below which all is settled, as of now. Without partitions of which that is not known;
     * empty if there are no offsets, or no answer.
     */
    default Map<String, Long> settled(String queue) {
        return Map.of();
    }
}
