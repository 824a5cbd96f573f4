package dev.tandem.task.event;

import dev.tandem.task.Publisher.PublishException;
import java.util.List;

/** Port: publishes the events of one queue. Connects at the first of them. Used by one thread, but {@link #close} by any. */
public interface EventPublisher extends AutoCloseable {

    /**
     * Publishes events in their order, and waits until the broker has confirmed all of them: at most about half a minute. What
     * they are published to is created if it is missing.
     *
     * @throws PublishException if one was not confirmed; it says what to do. Some may have arrived all the same
     */
    void publish(List<EventMessage> events);

    @Override
    void close();
}
