package dev.tandem.api;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says how the tasks of one type are run, where that differs from their queue. What a task says of itself, within the queue's
 * limits or these values, comes first; then these options; then the queue. Immutable: the {@code with} methods return
 * changed copies.
 *
 * @param timeout the longest run; null means the queue's
 * @param maxAttempts starts in all, the first included; null means the queue's
 * @param backoff the delays between attempts; null means the queue's
 * @param deadOn exceptions, subclasses included, that make a task dead at once, as those of the queue do
 * @param aliases further types that the handler runs, such as former names
 */
public record HandlerOptions(
        @Nullable Duration timeout,
        @Nullable Integer maxAttempts,
        @Nullable RetryPolicy backoff,
        Set<Class<? extends Throwable>> deadOn,
        List<String> aliases) {

    /** No options: all as the queue says. */
    public static final HandlerOptions NONE = new HandlerOptions(null, null, null, Set.of(), List.of());

    /** @throws IllegalArgumentException if a value is out of its bounds; the message names it */
    public HandlerOptions {
        if (timeout != null && timeout.toMillis() < 1) {
            throw new IllegalArgumentException("The handler's timeout is " + timeout + ": it must be 1 ms or more");
        }
        if (maxAttempts != null && maxAttempts < 1) {
            throw new IllegalArgumentException(
                    "The handler's maxAttempts is " + maxAttempts + ": it must be 1 or more");
        }
        if (aliases.stream().anyMatch(String::isBlank)) {
            throw new IllegalArgumentException("One of the handler's aliases is empty: leave it out");
        }
        deadOn = Set.copyOf(deadOn);
        aliases = List.copyOf(aliases);
    }

    /**
     * Returns what an annotation says.
     *
     * @throws InvalidTaskException if a duration cannot be read; the message shows it
     * @throws IllegalArgumentException if a value is out of its bounds; the message names it
     */
    public static HandlerOptions of(TaskHandler annotation) {
        Backoff backoff = annotation.backoff();
        return new HandlerOptions(
                annotation.timeout().isEmpty() ? null : Durations.parse("timeout", annotation.timeout()),
                annotation.maxAttempts() == 0 ? null : annotation.maxAttempts(),
                backoff.initial().isEmpty() ? null : policy(backoff),
                new LinkedHashSet<>(List.of(annotation.deadOn())),
                List.of(annotation.aliases()));
    }

    private static RetryPolicy policy(Backoff backoff) {
        return RetryPolicy.exponential(
                Durations.parse("backoff.initial", backoff.initial()),
                backoff.multiplier(),
                Durations.parse("backoff.max", backoff.max()),
                backoff.jitter());
    }

    /** Returns these options with another timeout. */
    public HandlerOptions withTimeout(Duration value) {
        return new HandlerOptions(value, maxAttempts, backoff, deadOn, aliases);
    }

    /**
     * Returns these options with another timeout.
     *
     * @param value such as {@code 500ms}, {@code 30s}, {@code 5m} or {@code PT5M}
     */
    public HandlerOptions withTimeout(String value) {
        return withTimeout(Durations.parse("timeout", value));
    }

    /** Returns these options with another number of attempts. */
    public HandlerOptions withMaxAttempts(int value) {
        return new HandlerOptions(timeout, value, backoff, deadOn, aliases);
    }

    /** Returns these options with other delays. */
    public HandlerOptions withBackoff(RetryPolicy value) {
        return new HandlerOptions(timeout, maxAttempts, value, deadOn, aliases);
    }

    /** Returns these options with one more exception that makes a task dead at once. */
    public HandlerOptions withDeadOn(Class<? extends Throwable> type) {
        Set<Class<? extends Throwable>> more = new LinkedHashSet<>(deadOn);
        more.add(type);
        return new HandlerOptions(timeout, maxAttempts, backoff, more, aliases);
    }

    /** Returns these options with one more type that the handler runs. */
    public HandlerOptions withAlias(String type) {
        List<String> more = new ArrayList<>(aliases);
        more.add(type);
        return new HandlerOptions(timeout, maxAttempts, backoff, deadOn, more);
    }
}
