package dev.tandem.task.store;

import dev.tandem.task.Position;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.store.RunRequest.KeepProgress;
import dev.tandem.task.store.RunRequest.ReadCheckpoint;
import dev.tandem.task.store.RunRequest.RunNotes;
import dev.tandem.task.store.RunRequest.SaveCheckpoint;
import dev.tandem.task.store.RunRequest.Standing;
import dev.tandem.task.store.StoreAnswer.Checkpoint;
import dev.tandem.task.store.StoreAnswer.ProgressKept;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The notes of a partition's runs: checkpoints, progress and log lines. */
final class ModelNotes {

    private record Saved(long at, byte[] value) {}

    private record Noted(String progress, List<String> lines) {}

    private final Map<Position, Saved> checkpoints = new HashMap<>();
    private final Map<Position, Noted> progress = new HashMap<>();

    ModelNotes copy() {
        ModelNotes copy = new ModelNotes();
        copy.checkpoints.putAll(checkpoints);
        copy.progress.putAll(progress);
        return copy;
    }

    void forget(Position position) {
        checkpoints.remove(position);
        progress.remove(position);
    }

    byte @Nullable [] checkpoint(Position position) {
        Saved saved = checkpoints.get(position);
        return saved == null ? null : saved.value();
    }

    TaskNotes of(Position position) {
        Saved saved = checkpoints.get(position);
        Noted noted = progress.getOrDefault(position, new Noted("", List.of()));
        return TaskNotes.decode(
                noted.progress(),
                noted.lines(),
                saved == null ? null : new TaskNotes.Checkpoint(saved.at(), saved.value().length));
    }

    StoreAnswer apply(RunRequest request, ModelTasks tasks, long now) {
        if (request instanceof SaveCheckpoint save) {
            Standing standing = standing(tasks, save.position(), save.token());
            if (standing == Standing.CLAIMED) {
                checkpoints.put(save.position(), new Saved(now, save.checkpoint()));
            }
            return new Checkpoint(standing, null);
        } else if (request instanceof ReadCheckpoint read) {
            Standing standing = standing(tasks, read.position(), read.token());
            return new Checkpoint(standing, standing == Standing.CLAIMED ? checkpoint(read.position()) : null);
        }
        KeepProgress keep = (KeepProgress) request;
        int kept = 0;
        for (RunNotes run : keep.runs()) {
            if (standing(tasks, run.position(), run.token()) == Standing.CLAIMED || hasJustEnded(tasks, run)) {
                keep(run, keep.maxLines());
                kept++;
            }
        }
        return new ProgressKept(kept);
    }

    private static Standing standing(ModelTasks tasks, Position position, long token) {
        StoredClaim claim = tasks.claim(position);
        if (claim != null && claim.token() == token) {
            return Standing.CLAIMED;
        }
        StoredEnvelope envelope = tasks.heldOrDeadEnvelope(position);
        boolean later = claim != null && claim.token() > token;
        boolean settled = envelope != null && envelope.token() != 0 && envelope.token() >= token;
        return later || settled ? Standing.ENDED : Standing.UNKNOWN;
    }

    /** Whether the outcome of this run is the last one that was recorded of its task, which waits or is dead. */
    private static boolean hasJustEnded(ModelTasks tasks, RunNotes run) {
        StoredEnvelope envelope = tasks.heldOrDeadEnvelope(run.position());
        return envelope != null && envelope.token() == run.token() && !tasks.isClaimed(run.position());
    }

    private void keep(RunNotes run, int maxLines) {
        Noted before = progress.getOrDefault(run.position(), new Noted("", List.of()));
        List<String> lines = new ArrayList<>(before.lines());
        lines.addAll(run.lines());
        progress.put(
                run.position(),
                new Noted(
                        run.progress().isEmpty() ? before.progress() : run.progress(),
                        List.copyOf(lines.subList(Math.max(0, lines.size() - maxLines), lines.size()))));
    }
}
