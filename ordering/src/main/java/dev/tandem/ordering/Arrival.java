package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;

/**
 * A delivered task with a deduplication key that this process has not settled.
 *
 * @param surelyNew whether its broker says that it was never delivered before
 */
public record Arrival(Partition partition, Position position, Task task, boolean surelyNew) {}
