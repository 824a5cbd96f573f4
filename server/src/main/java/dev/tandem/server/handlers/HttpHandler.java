package dev.tandem.server.handlers;

import dev.tandem.api.Handler;
import dev.tandem.api.RateLimitedException;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.runtime.settings.QueueSettings.HttpSettings;
import dev.tandem.task.FailureText;
import dev.tandem.task.TaskHeaders;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

    private final HttpClient client;
    private final URI url;
    private final HttpSettings settings;
    private final Set<Integer> deadOn;
    private final InstantSource clock;
    private final boolean slowsDown;

    /**
     * @param client must follow no redirects
     * @param slowsDown whether rate limits of the queue pause on 429, so that it does not count as a failed attempt
     */
    HttpHandler(HttpClient client, HttpSettings settings, InstantSource clock, boolean slowsDown) {
        this.client = client;
        this.url = URI.create(Objects.requireNonNull(settings.url(), "url"));
        this.settings = settings;
        this.deadOn = Set.copyOf(settings.deadOn());
        this.clock = clock;
        this.slowsDown = slowsDown;
    }

    /** Creates the client that all queues share. It reuses its connections. */
    static HttpClient client() {
        return HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(Duration.ofSeconds(10))
                .build();
    }

    @Override
    public Result handle(TaskContext task) throws IOException, InterruptedException {
        HttpResponse<String> response = send(request(task));
        int status = response.statusCode();
        if (status >= 200 && status < 300) {
            return Result.done();
        }
        String reason = reason(response);
        if (deadOn.contains(status)) {
            return Result.dead(reason);
        }
        if (status == TOO_MANY_REQUESTS || status == UNAVAILABLE) {
            Optional<Duration> delay = response.headers()
                    .firstValue("Retry-After")
                    .flatMap(value -> RetryAfter.parse(value, clock.instant()));
            if (delay.isPresent() && status == TOO_MANY_REQUESTS && slowsDown) {
                throw new RateLimitedException(delay.get(), reason);
            } else if (delay.isPresent()) {
                return Result.again(delay.get(), reason);
            }
        }
        throw new HttpStatusException(reason);
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        try {
            return client.send(request, BoundedTextSubscriber.handler());
        } catch (ConnectException e) {
            // The exception has no message.
            throw new HttpStatusException("no connection to " + url.getAuthority());
        } catch (IOException e) {
            throw new HttpStatusException("the call of " + url.getAuthority() + " failed: " + FailureText.of(e));
        }
    }

    private HttpRequest request(TaskContext task) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                // Without TLS, some servers reject the upgrade to HTTP/2 of a request with a body.
                .version(
                        "https".equalsIgnoreCase(url.getScheme())
                                ? HttpClient.Version.HTTP_2
                                : HttpClient.Version.HTTP_1_1)
                .POST(BodyPublishers.ofByteArray(task.payload()));
        settings.headers().forEach(request::setHeader);
        set(
                request,
                "Content-Type",
                contentType(task.headers().getOrDefault(TaskHeaders.CONTENT_TYPE, DEFAULT_CONTENT_TYPE)));
        set(request, "Tandem-Task-Id", HeaderEncoding.encode(task.id()));
        set(request, "Tandem-Queue", task.queue());
        set(request, "Tandem-Task-Type", HeaderEncoding.encode(task.type()));
        set(request, "Tandem-Task-Key", task.key() == null ? null : HeaderEncoding.encode(task.key()));
        set(request, "Tandem-Attempt", Integer.toString(task.attempt()));
        set(request, "Tandem-Fencing-Token", Long.toString(task.token()));
        set(request, "traceparent", trace(task, "traceparent"));
        set(request, "tracestate", trace(task, "tracestate"));
        set(request, "baggage", trace(task, "baggage"));
        task.deadline().ifPresent(deadline -> request.timeout(until(deadline)));
        return request.build();
    }

    private static void set(HttpRequest.Builder request, String name, @Nullable String value) {
        if (value != null) {
            request.setHeader(name, value);
        }
    }

    private static String contentType(String given) {
        return HeaderEncoding.isPlain(given) ? given : DEFAULT_CONTENT_TYPE;
    }

    private static @Nullable String trace(TaskContext task, String name) {
        String value = task.headers().get(name);
        return value != null && HeaderEncoding.isPlain(value) ? value : null;
    }

    private Duration until(Instant deadline) {
        Duration left = Duration.between(clock.instant(), deadline);
        return left.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : left;
    }

    /** Returns the status, and the response's body as a line of its own: only the first line of an error is logged. */
    private static String reason(HttpResponse<String> response) {
        StringBuilder reason = new StringBuilder("HTTP status ").append(response.statusCode());
        if (response.statusCode() >= 300 && response.statusCode() < 400) {
            reason.append(" (redirects are not followed: set http.url to the final address)");
        }
        if (!response.body().isEmpty()) {
            reason.append('\n').append(response.body());
        }
        return reason.toString();
    }
}
