package dev.tandem.verify;

import java.time.Duration;

/** Reads the events of a queue's tasks from its broker in a thread of its own, from the first on, as another program would. */
interface TaskEventReader extends AutoCloseable {

    /**
     * Waits until everything that was published until now has been read, and ends.
     *
     * @return whether that was within the limit
     */
    boolean readToEnd(Duration limit) throws InterruptedException;

    @Override
    void close();
}
