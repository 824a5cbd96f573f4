package dev.tandem.runtime.queues;

import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.task.Source;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A queue's source and the state of its broker.
 *
 * @param reachability may be called by any thread and never blocks
 * @param misplaced counts the records that lay outside of their keys' partitions, in the same way
 * @param forgotten says which of the broker's queues have messages that nobody consumes, in the same way; null if none have
 */
public record QueueSource(
        SourceType type,
        Source source,
        Supplier<Reachability> reachability,
        LongSupplier misplaced,
        Supplier<@Nullable String> forgotten) {

    /**
     * Whether a broker can be reached.
     *
     * @param detail for people: the address, or the reason why it cannot be reached
     */
    public record Reachability(boolean reached, String detail) {}
}
