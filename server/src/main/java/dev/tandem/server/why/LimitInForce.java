package dev.tandem.server.why;

import dev.tandem.server.words.Sentence;
import org.jspecify.annotations.Nullable;

/**
 * A limit or rate limit that a task waits for.
 *
 * @param number what it permits, and who has set that in place of the settings; null if that is not known
 */
public record LimitInForce(String name, @Nullable Sentence number) {

    /** Returns its name, and its number if that is known. */
    Sentence says() {
        return number == null ? Sentence.quote(name) : Sentence.of("limit.with", name, number);
    }
}
