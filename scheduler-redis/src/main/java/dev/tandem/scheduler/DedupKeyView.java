package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;

/**
 * What Redis knows of a deduplication key.
 *
 * @param state what the task does that has the key
 * @param partition the partition of that task
 * @param position its position
 * @param id its id
 * @param since when it came, in epoch milliseconds by Redis's clock, as all times here
 * @param dueAt when it is due
 * @param takenUntil until when others with the key are duplicates; later if the task is heard of again
 * @param isTaken whether they are now
 * @param others how many other tasks with the key are remembered
 */
public record DedupKeyView(
        Bearer state,
        Partition partition,
        Position position,
        String id,
        long since,
        long dueAt,
        long takenUntil,
        boolean isTaken,
        long others) {

    /** What the task does that has a key. */
    public enum Bearer {
        WAITS,
        BEGUN,
        DONE,
        /** It is dead or cancelled. */
        FAILED
    }
}
