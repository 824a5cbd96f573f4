package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;

/** Says which tasks are meant. It must be quick, since it is asked about all tasks in memory. */
@FunctionalInterface
public interface TaskFilter {

    boolean matches(Partition partition, Position position, Task task);
}
