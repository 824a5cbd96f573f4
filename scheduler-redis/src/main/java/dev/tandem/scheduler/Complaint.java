package dev.tandem.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * A sentence for people that says what is wrong with a Redis.
 *
 * @param text the beginning of a sentence
 * @param remedy its end, which says what to do; null if Redis itself said what is wrong
 */
public record Complaint(String text, @Nullable String remedy) {

    /** Returns the whole sentence, without a full stop. */
    @Override
    public String toString() {
        return remedy == null ? text : text + ": " + remedy;
    }
}
