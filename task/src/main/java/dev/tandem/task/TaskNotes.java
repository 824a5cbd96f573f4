package dev.tandem.task;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The notes of the runs of a task, for people. The store keeps progress and lines as text.
 *
 * @param progress null if no run said how far it is
 * @param log the last lines, the earliest first
 * @param checkpoint null if there is none
 */
public record TaskNotes(
        @Nullable Progress progress,
        List<Line> log,
        @Nullable Checkpoint checkpoint) {

    /** The longest text of a line or of progress that is kept, in characters. */
    public static final int MAX_TEXT = 500;

    public static final TaskNotes NONE = new TaskNotes(null, List.of(), null);

    public TaskNotes {
        log = List.copyOf(log);
    }

    /**
     * How far a run is.
     *
     * @param at when it said so, in epoch milliseconds
     * @param attempt the number of the attempt
     * @param total 0 if unknown
     * @param text empty if there is none
     */
    public record Progress(long at, int attempt, long done, long total, String text) {

        public String encode() {
            return at + " " + attempt + " " + done + " " + total + " " + text;
        }

        private static Optional<Progress> decode(String encoded) {
            String[] parts = encoded.split(" ", 5);
            try {
                return parts.length < 5
                        ? Optional.empty()
                        : Optional.of(new Progress(
                                Long.parseLong(parts[0]),
                                Integer.parseInt(parts[1]),
                                Long.parseLong(parts[2]),
                                Long.parseLong(parts[3]),
                                parts[4]));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }
    }

    /**
     * A log line of a run.
     *
     * @param at epoch milliseconds
     * @param attempt the number of the attempt
     */
    public record Line(long at, int attempt, String text) {

        public String encode() {
            return at + " " + attempt + " " + text;
        }

        private static Optional<Line> decode(String encoded) {
            String[] parts = encoded.split(" ", 3);
            try {
                return parts.length < 3
                        ? Optional.empty()
                        : Optional.of(new Line(Long.parseLong(parts[0]), Integer.parseInt(parts[1]), parts[2]));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }
    }

    /**
     * A checkpoint without its content.
     *
     * @param at when it was saved, in epoch milliseconds
     */
    public record Checkpoint(long at, int bytes) {}

    /** Reads what the store keeps. Leaves out what a later version may have written in another form. */
    public static TaskNotes decode(String progress, List<String> lines, @Nullable Checkpoint checkpoint) {
        List<Line> log = new ArrayList<>();
        lines.forEach(each -> Line.decode(each).ifPresent(log::add));
        return new TaskNotes(Progress.decode(progress).orElse(null), log, checkpoint);
    }

    /** Returns a text as it is kept: cut, and in one line. Without a text, the empty one. */
    public static String bounded(@Nullable String text) {
        return text == null ? "" : LogText.oneLine(text, MAX_TEXT);
    }
}
