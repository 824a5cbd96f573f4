package dev.tandem.server.inspect;

import java.util.Map;

/** Port: how much still waits in a queue's broker. Thread-safe; never waits longer than a second or so. */
public interface Backlog {

    /**
     * Messages that are not settled, by partition (those of no partition in particular under ""); empty while the broker
     * can't be asked.
     */
    Map<String, Long> of(String queue);
}
