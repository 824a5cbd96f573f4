package dev.tandem.server.inspect;

import dev.tandem.task.store.StoreAnswer.BlockReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A blocked key.
 *
 * @param since null if unknown
 * @param head the task that the key waits for
 * @param parked how many tasks are parked behind it
 * @param headTask what the store knows of that task; null if it knows only the position, or does not list more
 */
public record KeyInfo(
        String key,
        String partition,
        BlockReason reason,
        @Nullable Instant since,
        TaskRef head,
        long parked,
        @Nullable TaskInfo headTask) {

    /** Whether the key is halted: its head is dead, and an operator must decide. */
    public boolean isHalted() {
        return reason == BlockReason.HALTED;
    }
}
