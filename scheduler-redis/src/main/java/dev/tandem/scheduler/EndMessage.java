package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import java.util.HexFormat;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A message that says which tasks of a partition have ended: the partition's name, and a line for each task with a hash of its
 * name, a blank and its position. A line {@link #ANY} says that others may have ended too. The message is only a hint.
 *
 * <p>A task has several names: its id, its position, and in a log the partition and the offset.
 */
final class EndMessage {

    /** In the place of a line: tasks have ended that the message does not name. */
    static final String ANY = "*";

    static final int HASH_DIGITS = 8;

    private static final Pattern DEFAULT_ID = Pattern.compile(".+:(\\d{1,9}):(\\d{1,18})");

    private final StringBuilder text;
    private boolean empty = true;

    EndMessage(Partition partition) {
        text = new StringBuilder(partition.name());
    }

    /** Returns the hash of a name as hexadecimal digits. */
    static String hash(String name) {
        return HexFormat.of().formatHex(SuccessPage.hash(name));
    }

    /** Returns the name that a task without an id has in its partition: the number of its place in the log. */
    static String defaultName(Partition partition, Position position) {
        String place = position.text();
        return partition.name() + ":" + place.substring(place.lastIndexOf(':') + 1);
    }

    /** Returns the name of {@link #defaultName} in a default id; null if it is none. */
    static @Nullable String defaultNameIn(String id) {
        Matcher matcher = DEFAULT_ID.matcher(id);
        return matcher.matches() ? matcher.group(1) + ":" + matcher.group(2) : null;
    }

    void add(String hash, Position position) {
        text.append('\n').append(hash).append(' ').append(position.text());
        empty = false;
    }

    void addAny() {
        text.append('\n').append(ANY);
        empty = false;
    }

    /** Returns whether it says nothing. */
    boolean isEmpty() {
        return empty;
    }

    @Override
    public String toString() {
        return text.toString();
    }

    /**
     * Reads a message. Lines that make no sense are passed over.
     *
     * @param ended takes a hash and the text of a position
     * @param any is run if other tasks may have ended too
     */
    static void read(String message, BiConsumer<String, String> ended, Runnable any) {
        String[] lines = message.split("\n");
        for (int i = 1; i < lines.length; i++) {
            if (lines[i].equals(ANY)) {
                any.run();
            } else if (lines[i].length() > HASH_DIGITS + 1 && lines[i].charAt(HASH_DIGITS) == ' ') {
                ended.accept(lines[i].substring(0, HASH_DIGITS), lines[i].substring(HASH_DIGITS + 1));
            }
        }
    }
}
