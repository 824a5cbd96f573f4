package dev.tandem.task.store;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A question to the executors of a queue: which tasks of a key they hold, or one task, and the state of its partition.
 *
 * @param partition the name of that partition, so that its owner answers in any case; empty if it is not known
 * @param kind what is asked, and what the name is
 */
public record HeldQuestion(String partition, Kind kind, String name) {

    /** The subject of a question. */
    public enum Kind {
        /** The tasks of a key. */
        KEY,
        /** One task, by its id, or by its partition, a slash and its position. */
        TASK,
        /** Whether the owner has been given one task that the store has. The name is its position. */
        GIVEN,
        /** How many tasks wait or run in memory, in each owned partition, and not which. There is no name. */
        COUNT;

        private String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Begins the text, so that an executor of an earlier version takes it for an id that no task has. */
    private static final String PREFIX = "\t?\t";

    private static final int PARTS = 3;

    /** Asks about the tasks of a key, or one task. @param byKey whether the name is that of a key */
    public HeldQuestion(String partition, boolean byKey, String name) {
        this(partition, byKey ? Kind.KEY : Kind.TASK, name);
    }

    /** Whether the name is that of a key. */
    public boolean byKey() {
        return kind == Kind.KEY;
    }

    /** Returns the question as text. */
    public String text() {
        return PREFIX + partition + "\t" + kind.text() + "\t" + name;
    }

    /** Reads a question. Empty if the text is an id. */
    public static Optional<HeldQuestion> read(String text) {
        if (!text.startsWith(PREFIX)) {
            return Optional.empty();
        }
        String[] parts = text.substring(PREFIX.length()).split("\t", PARTS);
        return parts.length < PARTS
                ? Optional.empty()
                : Stream.of(Kind.values())
                        .filter(kind -> kind.text().equals(parts[1]))
                        .findFirst()
                        .map(kind -> new HeldQuestion(parts[0], kind, parts[2]));
    }
}
