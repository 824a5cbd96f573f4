package dev.tandem.local;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** What a broker runs in: a child process, or a container. */
interface Runner {

    /** Starts it and waits until the probe says yes; see {@link LocalProcess#startAndAwait}. */
    void startAndAwait(Duration limit, BooleanSupplier probe);

    boolean isRunning();

    /** Asks it to end and waits; kills it when the time is up. */
    void stop(Duration patience);

    /** Ends it as a crash would. */
    void kill();

    void suspend();

    void resume();

    Path log();

    /** Ends it for good. */
    void close();
}
