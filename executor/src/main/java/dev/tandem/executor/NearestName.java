package dev.tandem.executor;

import dev.tandem.task.EditDistance;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that somebody may have meant by a name that does not exist. Pure. */
final class NearestName {

    /** Longer names are not compared: the time grows with the square of their length. */
    static final int MAX_LENGTH = 100;

    private static final int MIN_EDITS = 2;

    private NearestName() {}

    /** Returns the known name that differs least from the given one, if it differs by a few letters only. */
    static Optional<String> of(String given, Collection<String> known) {
        if (given.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        int maxEdits = Math.max(MIN_EDITS, given.length() / 4);
        return known.stream()
                // Skips names so short that the allowed edits could change every letter.
                .filter(each -> each.length() <= MAX_LENGTH && each.length() > MIN_EDITS)
                .filter(each -> Math.abs(each.length() - given.length()) <= maxEdits)
                .filter(each -> edits(given, each) <= maxEdits)
                .min(Comparator.<String>comparingInt(each -> edits(given, each)).thenComparing(each -> each));
    }

    /** Returns the edit distance, in which upper and lower case count alike. */
    private static int edits(String one, String other) {
        return EditDistance.between(one.toLowerCase(Locale.ROOT), other.toLowerCase(Locale.ROOT));
    }
}
