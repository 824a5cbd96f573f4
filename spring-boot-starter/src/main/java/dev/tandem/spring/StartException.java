package dev.tandem.spring;

import java.util.List;

/** Thrown when the handlers and gateways of an application cannot be used. The message has one line for each problem. */
final class StartException extends RuntimeException {

    private final List<String> problems;

    StartException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    /** Returns the problems. Each names a class and a method, what is wrong, and what to do. */
    List<String> problems() {
        return problems;
    }
}
