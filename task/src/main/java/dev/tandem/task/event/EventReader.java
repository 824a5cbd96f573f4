package dev.tandem.task.event;

import java.time.Duration;
import java.util.List;

/**
 * Port: reads the published events of some queues, each of them at least once in all processes that read under one name. Connects
 * at the first call, and anew after a failure. Used by one thread.
 */
public interface EventReader extends AutoCloseable {

    /**
     * Has the broker keep the events that are published from now on until they are read. May be called before events can be stored, and again:
     * if the connection has been lost meanwhile, the broker is asked anew.
     *
     * @throws ReadException as {@link #read}
     */
    void keepEvents();

    /**
     * Waits for events. They come again, here or elsewhere, unless they are {@linkplain #confirm confirmed}.
     *
     * @throws ReadException if the broker cannot be reached; it says why. The next call tries again
     */
    List<PublishedEvent> read(Duration wait);

    /**
     * Lets the broker forget the events of the last {@link #read}.
     *
     * @throws ReadException if the broker did not take it. The events come again
     */
    void confirm();

    /** Has the events of the last {@link #read} come again, after a time in which nothing is read. */
    void giveBack(Duration pause);

    /** Returns how many events wait to be read, as far as this reader sees; it may ask the broker. 0 if that is unknown. */
    long waiting();

    /** Returns how many events the broker has removed before they were read, as far as this reader noticed. Any thread may ask. */
    long lost();

    @Override
    void close();

    /** Thrown when events cannot be read. The message says why, and what to do. */
    final class ReadException extends RuntimeException {
        public ReadException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
