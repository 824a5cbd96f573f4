package dev.tandem.server.why;

import dev.tandem.server.words.Sentence;
import org.jspecify.annotations.Nullable;

/** Knows what is in force of limits, and who has set it in place of the settings. */
public interface LimitNumbers {

    /** Says how many tasks of a limit may run at once; null if that is not known. */
    @Nullable
    Sentence mostAtOnce(String limit);

    /** Says how many tasks of a rate limit may begin in which time; null if that is not known. */
    @Nullable
    Sentence rate(String rateLimit);
}
