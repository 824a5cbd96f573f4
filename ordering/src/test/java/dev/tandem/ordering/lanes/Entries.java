package dev.tandem.ordering.lanes;

import dev.tandem.task.Position;
import dev.tandem.task.Task;

/** Entries for tests. */
public final class Entries {

    private Entries() {}

    /** A task that the broker delivered: its offset is its place in the order. */
    public static TaskEntry delivered(String key, long offset) {
        return new TaskEntry(
                Position.of(0, offset),
                key,
                offset,
                offset,
                offset,
                Task.of("orders", key, new byte[10]),
                null,
                0,
                false,
                null);
    }

    /** A task that the store offered, at this place in the order. */
    public static TaskEntry offered(String key, long offset, long order) {
        return new TaskEntry(
                Position.of(0, offset),
                key,
                TaskEntry.NOT_DELIVERED,
                offset,
                order,
                Task.of("orders", key, new byte[10]),
                null,
                0,
                true,
                null);
    }

    /** A message with this tag and position. */
    public static TaskEntry message(Position position, long tag, boolean redelivered) {
        RedeliveryNotes notes = new RedeliveryNotes();
        notes.redelivered(redelivered);
        return new TaskEntry(
                position,
                null,
                tag,
                TaskEntry.NO_OFFSET,
                tag,
                Task.of("orders", null, new byte[10]),
                null,
                0,
                false,
                notes);
    }
}
