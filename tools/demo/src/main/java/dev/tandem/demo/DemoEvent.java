package dev.tandem.demo;

/**
 * An event of an event log: the start or the end of a run.
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
}
