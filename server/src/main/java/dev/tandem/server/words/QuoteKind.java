package dev.tandem.server.words;

import java.util.List;

/**
 * Kinds of texts that other programs have said in English, or this one long ago: they come from Redis, a broker or another
 * process. Each kind has texts of its own that are known in other languages.
 */
public enum QuoteKind {
    /** How a program, a queue, a fan-out or an operation is. */
    STATE("quote.state."),
    /** Errors of attempts and reasons of ends. Most come from handlers, and are in no language that the server knows. */
    ERROR("quote.error."),
    /** Problems of requests. A state may be one, or a part of one. */
    PROBLEM("quote.problem.", "quote.state."),
    /** Entries of the audit log. */
    AUDIT("quote.audit.");

    private final List<String> begins;

    QuoteKind(String... begins) {
        this.begins = List.of(begins);
    }

    /** Returns how the keys of its texts begin. */
    List<String> begins() {
        return begins;
    }
}
