package dev.tandem.server.demo;

import java.util.Optional;

/**
 * One line of an event log.
 *
 * @param kind what happened
 * @param micros when, epoch microseconds by this machine's clock
 * @param id of the task
 * @param attempt as the handler saw it
 * @param token as the handler saw it
 */
record DemoEvent(Kind kind, long micros, String id, int attempt, long token) {

    enum Kind {
        START,
        /** The handler returned. */
        SUCCESS,
        /** The handler threw; another attempt is to follow. */
        FAILURE,
        /** The handler gave the task up. */
        DEAD;

        boolean ends() {
            return this != START;
        }
    }

    String line() {
        return kind + "\t" + micros + "\t" + id + "\t" + attempt + "\t" + token + "\n";
    }

    /** Empty for a line that a killed process did not finish. */
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
