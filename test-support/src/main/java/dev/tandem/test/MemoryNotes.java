package dev.tandem.test;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.RunRequest.Standing;
import dev.tandem.task.store.StoreAnswer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Remembers what the runs of a test have noted, also of tasks that have succeeded. Not thread-safe. */
final class MemoryNotes {

    /**
     * The notes of the runs of one task.
     *
     * @param notes the last progress, and the last lines
     * @param checkpoint the last checkpoint; null if none was saved
     */
    record Noted(TaskNotes notes, byte @Nullable [] checkpoint) {
        static final Noted NOTHING = new Noted(TaskNotes.NONE, null);
    }

    private record TaskPosition(Partition partition, Position position) {}

    private final Map<TaskPosition, Noted> noted = new HashMap<>();

    Noted of(Partition partition, Position position) {
        return noted.getOrDefault(new TaskPosition(partition, position), Noted.NOTHING);
    }

    void saved(RunRequest.SaveCheckpoint save, StoreAnswer answer) {
        if (answer instanceof StoreAnswer.Checkpoint checkpoint && checkpoint.standing() == Standing.CLAIMED) {
            TaskPosition place = new TaskPosition(save.partition(), save.position());
            noted.merge(
                    place,
                    new Noted(TaskNotes.NONE, save.checkpoint()),
                    (before, now) -> new Noted(before.notes(), now.checkpoint()));
        }
    }

    void kept(Partition partition, Position position, TaskNotes notes) {
        if (notes.equals(TaskNotes.NONE)) {
            return; // The store refused them.
        }
        noted.merge(
                new TaskPosition(partition, position),
                new Noted(notes, null),
                (before, now) -> new Noted(now.notes(), before.checkpoint()));
    }
}
