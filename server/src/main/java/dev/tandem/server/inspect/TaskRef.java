package dev.tandem.server.inspect;

import dev.tandem.task.Partition;
import java.util.Optional;

/**
 * Names exactly one task of a queue. Several tasks may have the same id, but never the same reference.
 *
 * @param partition the partition's name
 * @param position the task's position in it
 */
public record TaskRef(String partition, String position) {

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
