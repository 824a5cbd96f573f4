package dev.tandem.task.store;

import java.util.Optional;

/**
 * A question to the executors of a queue: which tasks of a key they hold, or one task, and the state of its partition.
 *
 * @param partition the name of that partition, so that its owner answers in any case; empty if it is not known
 * @param byKey whether the name is that of a key; else it is an id, or a partition, a slash and a position
 */
public record HeldQuestion(String partition, boolean byKey, String name) {

    /** Begins the text, so that an executor of an earlier version takes it for an id that no task has. */
    private static final String PREFIX = "\t?\t";

    private static final String KEY = "key";
    private static final String TASK = "task";
    private static final int PARTS = 3;

    /** Returns the question as text. */
    public String text() {
        return PREFIX + partition + "\t" + (byKey ? KEY : TASK) + "\t" + name;
    }

    /** Reads a question. Empty if the text is an id. */
    public static Optional<HeldQuestion> read(String text) {
        if (!text.startsWith(PREFIX)) {
            return Optional.empty();
        }
        String[] parts = text.substring(PREFIX.length()).split("\t", PARTS);
        boolean isKnown = parts.length == PARTS && (parts[1].equals(KEY) || parts[1].equals(TASK));
        return isKnown ? Optional.of(new HeldQuestion(parts[0], parts[1].equals(KEY), parts[2])) : Optional.empty();
    }
}
