package dev.tandem.runtime.events;

/** Receives measurements of events. Implementations must be thread-safe and quick. */
public interface EventMetrics {

    /** Ignores all measurements. */
    EventMetrics NONE = new EventMetrics() {};

    /** The broker has confirmed so many events. */
    default void published(String queue, int events) {}

    /** So many events were dropped, because too many waited. */
    default void dropped(String queue, long events) {}

    /** The events of a partition wait, or do not any more, in so many bytes. */
    default void waiting(String queue, String partition, long bytes) {}
}
