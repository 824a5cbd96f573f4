package dev.tandem.task.store;

import org.jspecify.annotations.Nullable;

/**
 * A change of the numbers of a limit that an operator asks for.
 *
 * @param kind of the limit
 * @param numbers null to let the settings hold again
 * @param by who asks for the numbers, cut to {@value LimitOverride#MAX_NAME} characters; empty without them
 * @param seen the revision that the limit must still have, or {@link LimitOverride#NO_REVISION} if it must have no override; null
 *     for any
 */
public record LimitRequest(
        LimitKind kind,
        @Nullable Numbers numbers,
        String by,
        @Nullable String seen) {

    /** Numbers that take the place of the settings. */
    public sealed interface Numbers {}

    /** The most permits of all executors together. */
    public record Permits(int max) implements Numbers {}

    /**
     * A rate.
     *
     * @param intervalMicros the time in which one token comes
     * @param burst how many tokens are kept while none is taken
     */
    public record Rate(long intervalMicros, int burst) implements Numbers {}

    /**
     * The answer to a request.
     *
     * @param done false if the limit had another revision than the request says. Then nothing has changed
     * @param before the override that the request found; null if there was none
     * @param revision of the limit now. A reset has one too, so that a later change can name it
     */
    public record Answer(boolean done, @Nullable LimitOverride before, String revision) {}

    public LimitRequest {
        if (numbers != null && by.isEmpty()) {
            throw new IllegalArgumentException("An override must say who sets it");
        }
        by = by.substring(0, Math.min(LimitOverride.MAX_NAME, by.length()));
    }

    /** Returns the request that sets numbers of a limit. */
    public static LimitRequest set(Numbers numbers, String by, @Nullable String seen) {
        return new LimitRequest(numbers instanceof Rate ? LimitKind.RATE : LimitKind.PERMITS, numbers, by, seen);
    }

    /** Returns the request that lets the settings of a limit hold again. */
    public static LimitRequest reset(LimitKind kind, @Nullable String seen) {
        return new LimitRequest(kind, null, "", seen);
    }
}
