package dev.tandem.server.handlers;

import dev.tandem.api.Handler;
import dev.tandem.api.RateLimitedException;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.runtime.settings.QueueSettings.HttpSettings;
import dev.tandem.task.FailureText;
import dev.tandem.task.TaskHeaders;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hc.client5.http.ConnectTimeoutException;

/**
 * Posts a task's payload to its queue's URL. A 2xx status is a success, a status in {@code http.dead-on} makes the task
 * dead at once, {@code Retry-After} on 429 and 503 sets the time of the next attempt, and everything else is a failed
 * attempt. Redirects are not followed.
 */
final class HttpHandler implements Handler {

    /** The content type of a payload whose message has none, because most payloads are JSON. */
    static final String DEFAULT_CONTENT_TYPE = "application/json";

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;
    private static final List<String> TRACE = List.of("traceparent", "tracestate", "baggage");

    /** For a task without a timeout. */
    private static final Duration LONGEST = Duration.ofDays(30);

    private final HttpCalls calls;
    private final HttpTarget target;
    private final HttpSettings settings;
    private final Set<Integer> deadOn;
    private final HttpMetrics metrics;
    private final InstantSource clock;
    private final boolean slowsDown;

    /** @param slowsDown whether rate limits of the queue pause on 429, so that it does not count as a failed attempt */
    HttpHandler(
            HttpCalls calls,
            HttpTarget target,
            HttpSettings settings,
            HttpMetrics metrics,
            InstantSource clock,
            boolean slowsDown) {
        this.calls = calls;
        this.target = target;
        this.settings = settings;
        this.deadOn = Set.copyOf(settings.deadOn());
        this.metrics = metrics;
        this.clock = clock;
        this.slowsDown = slowsDown;
    }

    @Override
    public Result handle(TaskContext task) throws InterruptedException {
        HttpAnswer answer = call(task);
        int status = answer.status();
        if (status >= 200 && status < 300) {
            return Result.done();
        }
        String reason = reason(answer);
        if (deadOn.contains(status)) {
            return Result.dead(reason);
        }
        if (status == TOO_MANY_REQUESTS || status == UNAVAILABLE) {
            Optional<Duration> delay =
                    answer.header("Retry-After").flatMap(value -> RetryAfter.parse(value, clock.instant()));
            if (delay.isPresent() && status == TOO_MANY_REQUESTS && slowsDown) {
                throw new RateLimitedException(delay.get(), reason);
            } else if (delay.isPresent()) {
                return Result.again(delay.get(), reason);
            }
        }
        throw new HttpStatusException(reason);
    }

    private HttpAnswer call(TaskContext task) throws InterruptedException {
        HttpMetrics.Call call = metrics.begin();
        try {
            HttpAnswer answer = calls.post(target, headers(task), task.payload(), time(task));
            call.end(answer.status() / 100 + "xx");
            return answer;
        } catch (HttpTarget.RefusedException e) {
            call.end("refused");
            throw new HttpStatusException("no call of " + target + ": " + e.getMessage());
        } catch (UnknownHostException e) {
            call.end("unconnected");
            throw new HttpStatusException("no connection to " + target + ": its address is not known");
        } catch (ConnectException | NoRouteToHostException | ConnectTimeoutException e) {
            call.end("unconnected");
            throw new HttpStatusException("no connection to " + target);
        } catch (InterruptedIOException e) {
            call.end("timeout");
            throw new HttpStatusException("the call of " + target + " failed: " + e.getMessage());
        } catch (IOException e) {
            call.end("failed");
            throw new HttpStatusException("the call of " + target + " failed: " + FailureText.of(e));
        }
    }

    private Map<String, String> headers(TaskContext task) {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(settings.headers());
        headers.put(
                "Content-Type",
                contentType(task.headers().getOrDefault(TaskHeaders.CONTENT_TYPE, DEFAULT_CONTENT_TYPE)));
        headers.put("Tandem-Task-Id", HeaderEncoding.encode(task.id()));
        headers.put("Tandem-Queue", task.queue());
        headers.put("Tandem-Task-Type", HeaderEncoding.encode(task.type()));
        if (task.key() != null) {
            headers.put("Tandem-Task-Key", HeaderEncoding.encode(task.key()));
        }
        headers.put("Tandem-Attempt", Integer.toString(task.attempt()));
        headers.put("Tandem-Fencing-Token", Long.toString(task.token()));
        for (String name : TRACE) {
            String value = task.headers().get(name);
            if (value != null && HeaderEncoding.isPlain(value)) {
                headers.put(name, value);
            }
        }
        return headers;
    }

    private static String contentType(String given) {
        return HeaderEncoding.isPlain(given) ? given : DEFAULT_CONTENT_TYPE;
    }

    private Duration time(TaskContext task) {
        Duration left = task.deadline()
                .map(deadline -> Duration.between(clock.instant(), deadline))
                .orElse(LONGEST);
        return left.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : left;
    }

    /** Returns the status, and the response's body as a line of its own: only the first line of an error is logged. */
    private static String reason(HttpAnswer answer) {
        StringBuilder reason = new StringBuilder("HTTP status ").append(answer.status());
        if (answer.status() >= 300 && answer.status() < 400) {
            reason.append(" (redirects are not followed: set http.url to the final address)");
        }
        if (!answer.body().isEmpty()) {
            reason.append('\n').append(answer.body());
        }
        return reason.toString();
    }
}
