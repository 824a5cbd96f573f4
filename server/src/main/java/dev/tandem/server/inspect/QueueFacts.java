package dev.tandem.server.inspect;

import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.PermitView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Facts of the store about a queue.
 *
 * @param limit of all tasks of the queue; without numbers if it has none. Null if that is not known
 * @param unavailable why the store did not answer, in which case nothing is known; null if it did
 */
public record QueueFacts(
        List<PartitionInfo> partitions,
        boolean paused,
        PausedTasks pausedTasks,
        @Nullable PermitView limit,
        @Nullable String unavailable) {

    /** Returns what is known of a queue of which the store does not answer. */
    public static QueueFacts unknown(String why) {
        return new QueueFacts(List.of(), false, PausedTasks.NONE, null, why);
    }

    /** @throws UnavailableException if the store did not answer */
    public QueueFacts known() {
        if (unavailable != null) {
            throw new UnavailableException(unavailable);
        }
        return this;
    }
}
