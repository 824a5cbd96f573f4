package dev.tandem.ordering;

import dev.tandem.task.Position;
import dev.tandem.task.Task;

/** Makes entries for tests. */
final class Entries {

    private Entries() {}

    /** A task that the broker delivered: its offset is its place in the order. */
    static TaskEntry delivered(String key, long offset) {
        return new TaskEntry(
                Position.of(0, offset),
                key,
                offset,
                offset,
                offset,
                Task.of("orders", key, new byte[10]),
                null,
                0,
                false);
    }

    /** A task that the store offered, at this place in the order. */
    static TaskEntry offered(String key, long offset, long order) {
        return new TaskEntry(
                Position.of(0, offset), key, -1, offset, order, Task.of("orders", key, new byte[10]), null, 0, true);
    }

    /** A message with this tag and position. */
    static TaskEntry message(Position position, long tag, boolean redelivered) {
        TaskEntry entry =
                new TaskEntry(position, null, tag, -1, tag, Task.of("orders", null, new byte[10]), null, 0, false);
        entry.redelivered = redelivered;
        return entry;
    }
}
