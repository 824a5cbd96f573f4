package dev.tandem.server.why;

import dev.tandem.server.words.Sentence;
import java.util.Locale;

/** A cause for which a key or a task does not move. Each knows its sentences, and nothing else does. */
public sealed interface Cause permits TaskCause, PartitionCause {

    /** The remedy where nothing is to be done. */
    Sentence BY_ITSELF = Sentence.of("by-itself");

    /** Returns its word, on which programs rely: the name of its record, in small letters with hyphens. docs/why.md lists all. */
    default String word() {
        return getClass().getSimpleName().replaceAll("(?<!^)(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }

    /** Says what is so, without a full stop. */
    Sentence says(Wording words);

    /** Says what to do; nothing if there is nothing. */
    default Sentence remedy(Wording words) {
        return Sentence.NOTHING;
    }
}
