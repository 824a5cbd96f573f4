package dev.tandem.executor.pull;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a lease: what a worker shows to end its task. It says which executor has the task.
 *
 * @param partition the name of the task's partition
 * @param token the fencing token of the run
 * @param number counts the leases of the executor, since a task may be handed out twice in one run
 * @param executor the id of the executor, unique per process start
 */
public record LeaseName(String partition, long token, long number, String executor) {

    private static final int MAX_LENGTH = 600;
    private static final Pattern FORM = Pattern.compile("([A-Za-z0-9._-]{1,200}):(\\d{1,18}):(\\d{1,18}):(.{1,300})");

    /** Reads a name; empty if it has another form. */
    public static Optional<LeaseName> parse(String text) {
        Matcher parts = FORM.matcher(text.length() <= MAX_LENGTH ? text : "");
        return parts.matches()
                ? Optional.of(new LeaseName(
                        parts.group(1), Long.parseLong(parts.group(2)), Long.parseLong(parts.group(3)), parts.group(4)))
                : Optional.empty();
    }

    /** Returns the name as workers know it. */
    @Override
    public String toString() {
        return partition + ":" + token + ":" + number + ":" + executor;
    }
}
