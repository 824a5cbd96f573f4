package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;

/** The one task in a place. Unlike other filters, it means the task that the store offered too. */
public record TaskAt(String partition, Position position) implements TaskFilter {

    @Override
    public boolean matches(Partition its, Position place, Task task) {
        return place.equals(position) && its.name().equals(partition);
    }
}
