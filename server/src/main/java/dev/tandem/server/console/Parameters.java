package dev.tandem.server.console;

import org.jspecify.annotations.Nullable;

/** Reads the parameters of pages. */
final class Parameters {

    private Parameters() {}

    /** Returns the value of a field of a form; null if it was left empty. */
    static @Nullable String given(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }
}
