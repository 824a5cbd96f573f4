package dev.tandem.local;

import java.time.Duration;

/** One way to run a broker: what it runs in, when it is ready, and what it is called. */
interface Server {

    /** Not started yet. */
    Runner runner();

    /** Whether it takes clients; asked every few milliseconds while it starts. */
    boolean ready();

    /** How long a start may take. */
    default Duration startLimit() {
        return Duration.ofMinutes(2);
    }

    /** Called before each start: starts what must run before it. */
    default void prepare() {}

    /** Ends what {@link #prepare()} started. */
    default void release() {}

    /** Where it comes from, for people. */
    String origin();
}
