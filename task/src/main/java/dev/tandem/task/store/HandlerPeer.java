package dev.tandem.task.store;

/**
 * A live executor and what it has handlers for, in one queue.
 *
 * @param executor its id
 * @param startedAt milliseconds since 1970, by its own clock
 * @param sharing whether it takes its share of the queue's partitions
 */
public record HandlerPeer(String executor, long startedAt, boolean sharing, HandledTypes handled) {}
