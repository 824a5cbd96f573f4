package dev.tandem.spring;

import java.util.List;

/** Thrown when an application cannot have what it wants of Tandem. The message has one line for each problem. */
final class StartException extends RuntimeException {

    private final List<String> problems;
    private final boolean ofMethods;

    /** Says what is wrong with handlers and gateways. @param problems each names a class, and a method if it is one's */
    StartException(List<String> problems) {
        this(problems, true);
    }

    private StartException(List<String> problems, boolean ofMethods) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
        this.ofMethods = ofMethods;
    }

    /** Returns the exception for a problem that no code has, such as a table that is missing. */
    static StartException ofSurroundings(String problem) {
        return new StartException(List.of(problem), false);
    }

    /** Returns the problems. Each says what is wrong, and what to do. */
    List<String> problems() {
        return problems;
    }

    /** Returns whether the code is to be corrected. */
    boolean isOfMethods() {
        return ofMethods;
    }
}
