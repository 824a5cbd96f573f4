package dev.tandem.task.store;

import dev.tandem.task.Partition;

/**
 * The head of every numbered request.
 *
 * @param partition the partition whose data the request is about
 * @param writer a random name, of one process start and one partition
 * @param number the number of this request: those of a writer count from 1, without gaps within an epoch
 * @param epoch the ownership that the writer believes it has. In {@link StoreRequest.Acquire} the ownership that it
 *     continues, since nobody else can have owned the partition in between; 0 if it continues none
 */
public record RequestHeader(Partition partition, String writer, long number, long epoch) {}
