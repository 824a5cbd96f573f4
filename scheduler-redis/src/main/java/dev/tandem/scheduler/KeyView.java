package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import org.jspecify.annotations.Nullable;

/**
 * A blocked key.
 *
 * @param head the position that the key waits for
 * @param since when it was blocked, in epoch milliseconds
 * @param parked the count of tasks parked behind the head
 * @param headTask what Redis knows of the head. Null if it has only its position, since the broker will redeliver it; or
 *     where there was too much to list
 */
public record KeyView(
        Partition partition,
        String key,
        StoreAnswer.BlockReason reason,
        Position head,
        long since,
        long parked,
        @Nullable TaskView headTask) {}
