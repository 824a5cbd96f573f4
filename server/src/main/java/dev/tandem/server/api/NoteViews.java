package dev.tandem.server.api;

import dev.tandem.runtime.masking.Echoes;
import dev.tandem.task.TaskNotes;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The views of what the runs of a task have noted. */
public final class NoteViews {

    private NoteViews() {}

    /**
     * How far the work is.
     *
     * @param at when a run said so
     * @param total absent if it is not known
     * @param text absent if there is none
     */
    public record Progress(
            Instant at,
            int attempt,
            long done,
            @Nullable Long total,
            @Nullable String text) {
        static @Nullable Progress of(TaskNotes.@Nullable Progress said, Echoes echoes) {
            return said == null
                    ? null
                    : new Progress(
                            Instant.ofEpochMilli(said.at()),
                            said.attempt(),
                            said.done(),
                            said.total() == 0 ? null : said.total(),
                            said.text().isEmpty() ? null : echoes.hide(said.text()));
        }
    }

    /** A line of the task's log. */
    public record Line(Instant at, int attempt, String text) {
        static @Nullable List<Line> of(List<TaskNotes.Line> lines, Echoes echoes) {
            return lines.isEmpty()
                    ? null
                    : lines.stream()
                            .map(each -> new Line(
                                    Instant.ofEpochMilli(each.at()),
                                    each.attempt(),
                                    String.valueOf(echoes.hide(each.text()))))
                            .toList();
        }
    }

    /** When the last checkpoint was saved, and its size. What is in it is not shown. */
    public record Checkpoint(Instant at, int bytes) {
        static @Nullable Checkpoint of(TaskNotes.@Nullable Checkpoint saved) {
            return saved == null ? null : new Checkpoint(Instant.ofEpochMilli(saved.at()), saved.bytes());
        }
    }
}
