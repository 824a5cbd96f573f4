package dev.tandem.task;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last attempts of a task. They travel with it as a header that no publisher can set and no handler sees, so that
 * envelopes keep their form: a program that does not know the header keeps it like any other.
 *
 * <p>The header's value has a line for each attempt, the earliest first: number, start, duration, executor and error,
 * with tabs between them.
 */
public final class AttemptHistory {

    /** The header that carries the attempts. */
    public static final String HEADER = "tandem-attempts";

    /** The most attempts that are kept. */
    public static final int MAX_ATTEMPTS = 10;

    /** The longest error of an attempt, in characters. The last error of a task is kept at more length. */
    public static final int MAX_ERROR = 200;

    private static final String LAPSED = "no outcome: its executor died or was cut off";
    private static final int FIELDS = 5;

    private AttemptHistory() {}

    /** Returns the kept attempts of a task, the earliest first. */
    public static List<AttemptRecord> of(Task task) {
        return parse(task.headers().get(HEADER));
    }

    /** Reads the value of the header. Lines that it cannot read are left out. */
    public static List<AttemptRecord> parse(@Nullable String value) {
        List<AttemptRecord> attempts = new ArrayList<>();
        if (value != null) {
            value.lines().map(AttemptHistory::line).forEach(attempt -> {
                if (attempt != null) {
                    attempts.add(attempt);
                }
            });
        }
        return attempts;
    }

    private static @Nullable AttemptRecord line(String text) {
        String[] fields = text.split("\t", FIELDS);
        if (fields.length < FIELDS) {
            return null;
        }
        try {
            return new AttemptRecord(
                    Integer.parseInt(fields[0]),
                    Long.parseLong(fields[1]),
                    Long.parseLong(fields[2]),
                    fields[3],
                    fields[4]);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Returns the value of the header; null if the task has no attempts. */
    public static @Nullable String text(Task task) {
        return task.headers().get(HEADER);
    }

    /**
     * Returns the task with the starts that had no outcome.
     *
     * @param attempt the number of the attempt that follows them
     * @param lapses how many there were just before it
     */
    public static Task withLapses(Task task, int attempt, int lapses) {
        if (lapses == 0) {
            return task;
        }
        List<AttemptRecord> attempts = of(task);
        for (int number = Math.max(attempt - lapses, attempt - MAX_ATTEMPTS); number < attempt; number++) {
            attempts.add(new AttemptRecord(number, 0, 0, "", LAPSED));
        }
        return with(task, attempts);
    }

    /** Returns the task with one more attempt, which failed. */
    public static Task with(Task task, AttemptRecord failed) {
        List<AttemptRecord> attempts = of(task);
        attempts.add(failed);
        return with(task, attempts);
    }

    private static Task with(Task task, List<AttemptRecord> attempts) {
        Map<String, String> headers = new LinkedHashMap<>(task.headers());
        headers.put(HEADER, text(attempts));
        return task.withHeaders(headers);
    }

    private static String text(List<AttemptRecord> attempts) {
        StringBuilder text = new StringBuilder();
        for (AttemptRecord attempt : attempts.subList(Math.max(0, attempts.size() - MAX_ATTEMPTS), attempts.size())) {
            text.append(text.isEmpty() ? "" : "\n")
                    .append(attempt.number())
                    .append('\t')
                    .append(attempt.startedAt())
                    .append('\t')
                    .append(attempt.durationMillis())
                    .append('\t')
                    .append(attempt.executor().replaceAll("\\s", " "))
                    .append('\t')
                    .append(oneLine(attempt.error()));
        }
        return text.toString();
    }

    private static String oneLine(String error) {
        return LogText.oneLine(error.lines().findFirst().orElse(""), MAX_ERROR);
    }
}
