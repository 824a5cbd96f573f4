package dev.tandem.executor;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that somebody may have meant by a name that does not exist. Pure. */
final class NearestName {

    /** Longer names are not compared: the time grows with the square of their length. */
    private static final int MAX_LENGTH = 100;

    private static final int MIN_EDITS = 2;

    private NearestName() {}

    /** Returns the known name that differs least from the given one, if it differs by a few letters only. */
    static Optional<String> of(String given, Collection<String> known) {
        if (given.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        int maxEdits = Math.max(MIN_EDITS, given.length() / 4);
        return known.stream()
                // A name of which nothing is left after so many edits is similar to everything.
                .filter(each -> each.length() <= MAX_LENGTH && each.length() > MIN_EDITS)
                .filter(each -> edits(given, each) <= maxEdits)
                .min(Comparator.<String>comparingInt(each -> edits(given, each)).thenComparing(each -> each));
    }

    /** Returns the Levenshtein distance, in which upper and lower case count alike. */
    private static int edits(String one, String other) {
        String a = one.toLowerCase(Locale.ROOT);
        String b = other.toLowerCase(Locale.ROOT);
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int above = row[j];
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                row[j] = Math.min(diagonal + change, 1 + Math.min(above, row[j - 1]));
                diagonal = above;
            }
        }
        return row[b.length()];
    }
}
