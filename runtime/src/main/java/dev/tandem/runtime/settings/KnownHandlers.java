package dev.tandem.runtime.settings;

import java.util.Map;
import java.util.Set;

/** Says which handlers a process has, so that its settings can be checked against them. */
sealed interface KnownHandlers {

    /** A server's: the hosted handlers. */
    record Hosted() implements KnownHandlers {}

    /** The handlers of a program. @param types by queue; the program runs no other queues */
    record OfProgram(Map<String, Set<String>> types) implements KnownHandlers {}
}
