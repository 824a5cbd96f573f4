package dev.tandem.test;

import dev.tandem.task.TaskNotes;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task that was submitted in a test, and what has become of it so far. Immutable.
 *
 * @param queue the queue's name
 * @param type its type; null if it names none
 * @param key the key that orders it; null if it has none
 * @param id its id
 * @param payload its payload as it was published
 * @param headers the headers that are not Tandem's own
 * @param submittedAt when it was submitted, by the clock of the test
 * @param notBefore its earliest start; null if it may start at once
 * @param runs its attempts so far, in order
 * @param error the last error of a task that failed or is dead; null if there is none
 * @param progress how far it last said it was; null if it never did
 * @param log the last lines that it logged
 * @param checkpoint its last checkpoint; null if it saved none
 */
public record TestedTask(
        String queue,
        @Nullable String type,
        @Nullable String key,
        String id,
        byte[] payload,
        Map<String, String> headers,
        Instant submittedAt,
        @Nullable Instant notBefore,
        State state,
        List<Run> runs,
        @Nullable String error,
        @Nullable Progress progress,
        List<String> log,
        byte @Nullable [] checkpoint) {

    /** The state of a task. */
    public enum State {
        /** Waiting: for its time, for the next attempt, for tasks of its key, or because no handler is there. */
        WAITING,
        RUNNING,
        SUCCEEDED,
        DEAD,
        /** Its time was over before its handler began. */
        EXPIRED,
        CANCELLED
    }

    /**
     * An attempt that has ended.
     *
     * @param attempt its number, 1 or more
     * @param startedAt when it started, by the clock of the test
     * @param end how it ended, for people
     */
    public record Run(int attempt, Instant startedAt, String end) {}

    /**
     * How far a task is.
     *
     * @param total 0 if it is not known
     * @param text empty if there is none
     */
    public record Progress(long done, long total, String text) {
        static @Nullable Progress of(TaskNotes.@Nullable Progress said) {
            return said == null ? null : new Progress(said.done(), said.total(), said.text());
        }
    }

    public TestedTask {
        log = List.copyOf(log);
        headers = Map.copyOf(headers);
        runs = List.copyOf(runs);
    }

    /** Returns the payload as text. */
    public String text() {
        return new String(payload, StandardCharsets.UTF_8);
    }

    /** Says in one line what the task is, and in one more line for each attempt what has become of it. */
    String describe() {
        StringBuilder text =
                new StringBuilder("task ").append(type).append(" of queue ").append(queue);
        if (key != null) {
            text.append(", key ").append(key);
        }
        text.append(", ").append(text()).append(": ").append(state);
        if (notBefore != null && runs.isEmpty() && state == State.WAITING) {
            text.append(" until ").append(notBefore);
        }
        if (error != null) {
            text.append(" (").append(error.lines().findFirst().orElse("")).append(")");
        }
        if (progress != null) {
            text.append(", progress ")
                    .append(progress.done())
                    .append(" of ")
                    .append(progress.total())
                    .append(" ")
                    .append(progress.text());
        }
        log.forEach(line -> text.append("\n    logged: ").append(line));
        for (Run run : runs) {
            text.append("\n    attempt ")
                    .append(run.attempt())
                    .append(" at ")
                    .append(run.startedAt())
                    .append(": ")
                    .append(run.end());
        }
        return text.toString();
    }
}
