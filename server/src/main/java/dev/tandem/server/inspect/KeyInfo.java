package dev.tandem.server.inspect;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A blocked key.
 *
 * @param why {@code head}, {@code foreign}, {@code redelivery} or {@code halted}
 * @param since null if unknown
 * @param head the task that the key waits for
 * @param parked how many tasks are parked behind it
 * @param headTask what the store knows of that task; null if it knows only the position, or does not list more
 */
public record KeyInfo(
        String key,
        String partition,
        String why,
        @Nullable Instant since,
        TaskRef head,
        long parked,
        @Nullable TaskInfo headTask) {

    /** Whether the key is halted: its head is dead, and an operator must decide. */
    public boolean isHalted() {
        return why.equals("halted");
    }
}
