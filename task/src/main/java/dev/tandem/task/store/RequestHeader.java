package dev.tandem.task.store;

import dev.tandem.task.Partition;

/**
 * The head of every numbered request.
 *
 * @param partition whose data it is about
 * @param writer a random name per process start and partition
 * @param number this writer's requests count from 1, without gaps within an epoch
 * @param epoch the ownership that the writer believes it has; in {@link StoreRequest.Acquire} the one that it continues,
 *     because nobody else can have owned the partition since; 0 if it continues none
 */
public record RequestHeader(Partition partition, String writer, long number, long epoch) {}
