package dev.tandem.demo;

import java.util.Optional;

/**
 * One line of an event log: the start or the end of a run.
 *
 * @param kind what happened
 * @param micros the time in epoch microseconds, by this machine's clock
 * @param id the task's id
 * @param attempt the attempt number that the handler was given
 * @param token the fencing token that the handler was given
 */
record DemoEvent(Kind kind, long micros, String id, int attempt, long token) {

    enum Kind {
        START,
        /** The handler returned. */
        SUCCESS,
        /** The handler threw; another attempt follows. */
        FAILURE,
        /** The handler declared the task dead. */
        DEAD;

        boolean ends() {
            return this != START;
        }
    }

    String line() {
        return kind + "\t" + micros + "\t" + id + "\t" + attempt + "\t" + token + "\n";
    }

    /** Reads a line. Empty if a killed process did not finish writing it. */
    static Optional<DemoEvent> parse(String line) {
        String[] parts = line.split("\t", -1);
        if (parts.length != 5) {
            return Optional.empty();
        }
        try {
            return Optional.of(new DemoEvent(
                    Kind.valueOf(parts[0]),
                    Long.parseLong(parts[1]),
                    parts[2],
                    Integer.parseInt(parts[3]),
                    Long.parseLong(parts[4])));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
