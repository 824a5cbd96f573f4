package dev.tandem.task.store;

import dev.tandem.task.Partition;

/**
 * The head of every numbered request.
 *
 * @param partition whose data it is about
 * @param writer a random name per process start and partition
 * @param number this writer's requests count from 1, without gaps within an epoch
 * @param epoch the ownership that the writer believes it has; 0 in {@link StoreRequest.Acquire}
 */
public record Line(Partition partition, String writer, long number, long epoch) {}
