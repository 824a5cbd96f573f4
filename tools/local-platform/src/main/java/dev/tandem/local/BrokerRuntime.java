package dev.tandem.local;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** A child process or a container in which a broker runs. */
interface BrokerRuntime {

    /** Starts it and waits until the probe returns true; see {@link LocalProcess#startAndAwait}. */
    void startAndAwait(Duration limit, BooleanSupplier probe);

    boolean isRunning();

    /** Asks it to end and waits. Kills it when the time is up. */
    void stop(Duration patience);

    /** Ends it as a crash would. */
    void kill();

    /** Freezes it. */
    void suspend();

    /** Continues it after {@link #suspend()}. */
    void resume();

    Path log();

    /** Ends it for good. */
    void close();
}
