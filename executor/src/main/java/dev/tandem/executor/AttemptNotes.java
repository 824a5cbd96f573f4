package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.store.RunRequest.RunNotes;
import dev.tandem.task.store.Store;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress and the log lines of one attempt that are not written yet. Thread-safe.
 *
 * <p>They may wait longer than their task is in memory, so they do not hold its payload.
 */
final class AttemptNotes {

    private final Partition partition;
    private final Position position;
    private final long token;
    private final int attempt;
    private final Store store;
    private final int maxLines;
    private final ProgressWriter writer;
    private final ExecutorClock clock;
    private final Deque<String> lines = new ArrayDeque<>();
    private String progress = "";
    private boolean queued;
    private boolean discarded;

    AttemptNotes(Run run, QueueSpec spec, ProgressWriter writer, ExecutorClock clock) {
        this.partition = run.partition();
        this.position = run.position();
        this.token = run.token();
        this.attempt = run.attempt();
        this.store = spec.store();
        this.maxLines = spec.parts().notes().maxLogLines();
        this.writer = writer;
        this.clock = clock;
    }

    Store store() {
        return store;
    }

    Partition partition() {
        return partition;
    }

    int maxLines() {
        return maxLines;
    }

    void progress(long done, long total, String text) {
        TaskNotes.Progress now = new TaskNotes.Progress(
                clock.wallMillis(), attempt, Math.max(0, done), Math.max(0, total), TaskNotes.bounded(text));
        synchronized (this) {
            progress = now.encode();
        }
        queue();
    }

    void log(String line) {
        if (maxLines == 0) {
            return;
        }
        TaskNotes.Line now = new TaskNotes.Line(clock.wallMillis(), attempt, TaskNotes.bounded(line));
        synchronized (this) {
            lines.addLast(now.encode());
            if (lines.size() > maxLines) {
                lines.removeFirst();
            }
        }
        queue();
    }

    private void queue() {
        synchronized (this) {
            if (queued || discarded) {
                return;
            }
            queued = true;
        }
        writer.add(this);
    }

    /** Forgets all that is not written: the task has succeeded. */
    synchronized void discard() {
        discarded = true;
        progress = "";
        lines.clear();
    }

    /** Returns what is not written yet, which then counts as written; null if there is nothing. */
    synchronized @Nullable RunNotes take() {
        queued = false;
        if (progress.isEmpty() && lines.isEmpty()) {
            return null;
        }
        RunNotes notes = new RunNotes(position, token, progress, List.copyOf(lines));
        progress = "";
        lines.clear();
        return notes;
    }
}
