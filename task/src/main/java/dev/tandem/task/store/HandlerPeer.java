package dev.tandem.task.store;

/**
 * A live executor and what it has handlers for, in one queue.
 *
 * @param executor its id
 * @param startedAt milliseconds since 1970, by its own clock
 * @param working whether it holds partitions of the queue and has no problem
 */
public record HandlerPeer(String executor, long startedAt, boolean working, HandledTypes handled) {}
