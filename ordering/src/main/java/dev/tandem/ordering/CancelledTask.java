package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import org.jspecify.annotations.Nullable;

/**
 * A task that was cancelled in memory.
 *
 * @param run its run, which may have begun; null if it was not claimed yet
 */
public record CancelledTask(
        Partition partition, Position position, @Nullable Run run) {}
