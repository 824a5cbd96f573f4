package dev.tandem.ordering;

import dev.tandem.task.Partition;

/**
 * The end of a run that the store did not record, because the run had lost its claim.
 *
 * @param token the fencing token of the run, which no other run of the partition has
 */
public record RefusedEnd(Partition partition, long token) {}
