package dev.tandem.server.inspect;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskPlace;
import java.util.Optional;

/**
 * Names exactly one task of a queue. Several tasks may have the same id, but never the same reference.
 *
 * @param partition the partition's name
 * @param position the task's position in it
 */
public record TaskRef(String partition, String position) {

    /** Returns the reference of the task at a place. */
    public static TaskRef of(TaskPlace place) {
        return new TaskRef(place.partition().name(), place.position().text());
    }

    /** Returns where the task is. */
    public TaskPlace in(String queue) {
        return new TaskPlace(new Partition(queue, partition), new Position(position));
    }

    /** Parses the form {@code @partition/position}. Empty if the text is an id instead. */
    public static Optional<TaskRef> parse(String text) {
        int slash = text.indexOf('/');
        if (!text.startsWith("@") || slash < 0) {
            return Optional.empty();
        }
        String partition = text.substring(1, slash);
        String position = text.substring(slash + 1);
        return Partition.isName(partition) && position.matches("[\\x21-\\x7e]{1,64}")
                ? Optional.of(new TaskRef(partition, position))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return "@" + partition + "/" + position;
    }
}
