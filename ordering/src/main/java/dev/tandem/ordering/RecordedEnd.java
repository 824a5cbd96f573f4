package dev.tandem.ordering;

import dev.tandem.task.Partition;

/**
 * The end of a run, as the store has recorded it.
 *
 * @param token the fencing token of the run, which no other run of the partition has
 */
public record RecordedEnd(Partition partition, long token) {}
