package dev.tandem.task.store;

/**
 * A partition as its owner sees it, and how much it has of what it was asked about.
 *
 * @param readTo the offset behind all that the broker has delivered; -1 if it is not known, or the source has no offsets
 * @param matching how many of the tasks that were asked about the broker delivered and have not ended
 * @param notDurable how many of them Redis has taken over, but not yet provably for good
 * @param memoryFull whether its memory is full, so that the broker delivers nothing
 * @param withoutRoom whether Redis has no room for more of its tasks
 * @param keysAtBound whether so many of its keys are blocked that no task of a further one starts
 * @param quietMillis the rest of the quiet period, in which nothing starts; 0 if there is none
 * @param mayStart whether the queue has a free slot in the executor
 * @param withheld why the executor starts less than it could, in words for people; empty if it does not
 */
public record HeldPartition(
        String partition,
        String executor,
        long readTo,
        int matching,
        int notDurable,
        boolean memoryFull,
        boolean withoutRoom,
        boolean keysAtBound,
        long quietMillis,
        boolean mayStart,
        String withheld) {}
