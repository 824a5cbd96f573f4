package dev.tandem.server.inspect;

import java.util.Map;

/** Port: counts the messages that wait in a queue's broker. Thread-safe. Takes a second or two at most. */
public interface Backlog {

    /**
     * Returns the number of unsettled messages by partition, with "" for those that belong to no partition. Empty if
     * the broker does not answer.
     */
    Map<String, Long> of(String queue);
}
