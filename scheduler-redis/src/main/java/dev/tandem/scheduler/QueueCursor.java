package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A place in a list over all partitions of a queue, one after the other.
 *
 * @param partition the name of the partition to go on with; null for the first one
 * @param inner the cursor of that partition's own list; null for its first page
 */
record QueueCursor(@Nullable String partition, @Nullable String inner) {

    /** @throws IllegalArgumentException if the text is no cursor */
    static QueueCursor parse(@Nullable String cursor) {
        if (cursor == null) {
            return new QueueCursor(null, null);
        }
        String text = new String(TaskCursor.decode(cursor), StandardCharsets.UTF_8);
        int blank = text.indexOf(' ');
        if (blank < 0) {
            throw TaskCursor.unknown(cursor);
        }
        return new QueueCursor(text.substring(0, blank), blank == text.length() - 1 ? null : text.substring(blank + 1));
    }

    static String encode(Partition partition, @Nullable String inner) {
        String text = partition.name() + " " + (inner == null ? "" : inner);
        return TaskCursor.encode(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Returns the index of the partition to go on with.
     *
     * @param cursor what was parsed, for the message
     * @throws IllegalArgumentException if the queue has no such partition
     */
    int indexIn(List<Partition> partitions, @Nullable String cursor) {
        if (cursor == null || partition == null) {
            return 0;
        }
        for (int i = 0; i < partitions.size(); i++) {
            if (partitions.get(i).name().equals(partition)) {
                return i;
            }
        }
        throw TaskCursor.unknown(cursor);
    }
}
