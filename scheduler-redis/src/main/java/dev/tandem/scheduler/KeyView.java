package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;

/**
 * A blocked key.
 *
 * @param head the position that must end or come first
 * @param since epoch milliseconds
 * @param parked tasks behind the head
 */
public record KeyView(
        Partition partition, String key, StoreAnswer.BlockReason reason, Position head, long since, long parked) {}
