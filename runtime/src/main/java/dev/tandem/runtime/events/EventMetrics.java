package dev.tandem.runtime.events;

/** Receives measurements of events. Implementations must be thread-safe and quick. */
public interface EventMetrics {

    /** Ignores all measurements. */
    EventMetrics NONE = new EventMetrics() {};

    /** Counts events that the broker has confirmed. */
    default void published(String queue, int events) {}

    /** Counts events that were dropped because too many waited. */
    default void dropped(String queue, long events) {}

    /** Measures the bytes of the events of a partition that wait; 0 if none does any more. */
    default void waiting(String queue, String partition, long bytes) {}
}
