package dev.tandem.server.inspect;

import java.util.Optional;

/** What this process knows of the queues that it runs. Does not wait. Thread-safe. */
@FunctionalInterface
public interface LocalQueues {

    /** Returns why this process starts fewer tasks of the queue than it could. Empty if it does not. */
    Optional<String> withheld(String queue);
}
