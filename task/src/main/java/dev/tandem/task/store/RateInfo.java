package dev.tandem.task.store;

import org.jspecify.annotations.Nullable;

/**
 * The description of a rate limit for people who look at it.
 *
 * @param name the limit
 * @param intervalMicros the time in which one token comes
 * @param burst how many tokens are kept while none is taken
 * @param per what has a bucket of its own: {@code key}, or {@code header:} and a name; null if there is one bucket
 */
public record RateInfo(
        String name,
        long intervalMicros,
        int burst,
        @Nullable String per) {}
