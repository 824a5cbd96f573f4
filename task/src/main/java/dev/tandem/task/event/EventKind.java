package dev.tandem.task.event;

import java.util.Locale;

/** The kinds of events, by what they tell of a task. The letters are kept in the store. */
public enum EventKind {
    SUCCEEDED('S'),
    /** The task is dead. */
    DEAD('D'),
    EXPIRED('E'),
    CANCELLED('C'),
    /** An attempt failed, or could not begin for want of a handler, and the task is tried again. */
    FAILED('F'),
    /** The task is put off, and the run does not count as an attempt. */
    SNOOZED('Z');

    private final char letter;

    EventKind(char letter) {
        this.letter = letter;
    }

    /** Returns the name by which settings, and the types of events, call it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the letter by which stored events call it. */
    public char letter() {
        return letter;
    }

    /** @throws IllegalArgumentException if no kind has this letter */
    public static EventKind of(char letter) {
        for (EventKind kind : values()) {
            if (kind.letter == letter) {
                return kind;
            }
        }
        throw new IllegalArgumentException("No kind of event has the letter '" + letter + "'");
    }
}
