package dev.tandem.server.inspect;

import java.util.Optional;

/** The state of the queues that this process runs, as the process knows it. Does not wait. Thread-safe. */
@FunctionalInterface
public interface LocalQueues {

    /** Returns why this process starts fewer tasks of the queue than it could. Empty if it does not. */
    Optional<String> withheld(String queue);
}
