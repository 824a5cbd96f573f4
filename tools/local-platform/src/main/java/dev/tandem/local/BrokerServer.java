package dev.tandem.local;

import java.time.Duration;

/** A broker of one product, set up but not started yet: what it runs in, and when it is ready. */
interface BrokerServer {

    /** The process or container in which it runs. */
    BrokerRuntime runtime();

    /** Whether it accepts clients; asked every few milliseconds while it starts. */
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
