package dev.tandem.server.handlers;

import dev.tandem.api.Handler;
import dev.tandem.api.RateLimitedException;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;

/**
 * Posts a task to its queue's URL. A 2xx status is a success, a status in {@code http.dead-on} makes the task dead at once,
 * {@code Retry-After} on 429 and 503 sets the time of the next attempt, and everything else is a failed attempt. Redirects are
 * not followed.
 */
final class HttpHandler implements Handler {

    /** For a task without a timeout. */
    private static final Duration LONGEST = Duration.ofDays(30);

    private final HttpPoster poster;
    private final Set<Integer> deadOn;
    private final InstantSource clock;
    private final boolean slowsDown;

    /** @param slowsDown whether rate limits of the queue pause on 429, so that it does not count as a failed attempt */
    HttpHandler(HttpPoster poster, Set<Integer> deadOn, InstantSource clock, boolean slowsDown) {
        this.poster = poster;
        this.deadOn = deadOn;
        this.clock = clock;
        this.slowsDown = slowsDown;
    }

    @Override
    public Result handle(TaskContext task) throws InterruptedException {
        HttpAnswer answer = poster.post(PostedTask.of(task), Map.of(), time(task));
        HttpVerdict verdict = HttpVerdict.of(answer, deadOn, clock.instant());
        if (verdict instanceof HttpVerdict.Dead dead) {
            return Result.dead(dead.reason());
        } else if (verdict instanceof HttpVerdict.Failed failed) {
            return failed(failed);
        }
        return Result.done();
    }

    private Result failed(HttpVerdict.Failed failed) {
        Duration after = failed.after();
        if (after == null) {
            throw new HttpStatusException(failed.reason());
        } else if (failed.tooMany() && slowsDown) {
            throw new RateLimitedException(after, failed.reason());
        }
        return Result.again(after, failed.reason());
    }

    private Duration time(TaskContext task) {
        Duration left = task.deadline()
                .map(deadline -> Duration.between(clock.instant(), deadline))
                .orElse(LONGEST);
        return left.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : left;
    }
}
