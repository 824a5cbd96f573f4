package dev.tandem.verify.fault;

import java.time.Duration;

/** The outbox of a trial, on which faults act. Thread-safe. */
public interface OutboxControl {

    /** Returns how many rows wait, as soon as some do, or after a while. */
    long awaitWaiting() throws InterruptedException;

    /**
     * Waits until the rows that are there now have been published.
     *
     * @throws IllegalStateException if they are not within this time; the message says how many are left
     */
    void awaitPublished(Duration limit) throws InterruptedException;

    /** Kills a relay with SIGKILL. */
    void killRelay();

    /** Starts another relay. */
    void startRelay();

    /** Stops a relay (SIGSTOP) for a time, then lets it continue. */
    void freezeRelay(Duration time) throws InterruptedException;

    /** Kills the database with SIGKILL and starts it again. */
    void restartDatabase();
}
