package dev.tandem.runtime.settings;

import dev.tandem.task.EditDistance;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Guesses which one of the allowed values was meant by one that is not allowed. */
final class NearestWord {

    /** Words of this length and more may also be recognised as a part of one another. */
    private static final int LONG_ENOUGH = 4;

    private NearestWord() {}

    /**
     * Returns the end of a remedy that names the allowed value that was probably meant; empty if none is similar.
     *
     * @param given null if nothing is given
     */
    static String advice(@Nullable String given, Collection<String> allowed) {
        return given == null
                ? ""
                : find(given, allowed)
                        .map(word -> "; did you mean " + word + "?")
                        .orElse("");
    }

    static Optional<String> find(String given, Collection<String> allowed) {
        String word = uniform(given);
        return allowed.stream()
                .filter(each -> similar(uniform(each), word))
                .min(Comparator.comparingInt(each -> EditDistance.between(uniform(each), word)));
    }

    private static boolean similar(String allowed, String given) {
        if (Math.min(allowed.length(), given.length()) >= LONG_ENOUGH
                && (allowed.contains(given) || given.contains(allowed))) {
            return true;
        }
        // One mistake in a short word, two in a long one.
        return EditDistance.between(allowed, given) <= (allowed.length() > LONG_ENOUGH ? 2 : 1);
    }

    private static String uniform(String word) {
        return word.strip().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
