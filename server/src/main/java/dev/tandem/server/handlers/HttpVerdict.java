package dev.tandem.server.handlers;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The meaning that the answer to a post has for its task. */
sealed interface HttpVerdict {

    /** The status is 2xx. */
    record Succeeded() implements HttpVerdict {}

    /** The settings say that no further attempt would help. */
    record Dead(String reason) implements HttpVerdict {}

    /**
     * The attempt has failed.
     *
     * @param after when the receiver wants the next one; null if it does not say so
     * @param tooMany whether it wants fewer of all tasks
     */
    record Failed(String reason, @Nullable Duration after, boolean tooMany) implements HttpVerdict {}

    /** @param deadOn the statuses that make a task dead at once */
    static HttpVerdict of(HttpAnswer answer, Set<Integer> deadOn, Instant now) {
        if (answer.isSuccess()) {
            return new Succeeded();
        } else if (deadOn.contains(answer.status())) {
            return new Dead(answer.reason());
        }
        return new Failed(
                answer.reason(), answer.retryAfter(now).orElse(null), answer.status() == HttpAnswer.TOO_MANY_REQUESTS);
    }
}
