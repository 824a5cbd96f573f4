package dev.tandem.client;

import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskResultException;
import dev.tandem.api.TaskResultException.Reason;
import dev.tandem.api.TaskResults;
import dev.tandem.task.UrlText;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Awaits the results of tasks by the HTTP API of a server, for programs that have no link to Redis. The server waits: there is one
 * request for each half minute. A server that cannot be reached, or has no room, is asked again. Thread-safe.
 */
public final class ServerTaskResults implements TaskResults {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final long MAX_REQUEST_MILLIS = 30_000;

    /** How much longer than asked for an answer may take. */
    private static final long GRACE_MILLIS = 10_000;

    private static final long ASK_AGAIN_MILLIS = 500;

    /** Longer than the answer with the largest payload of a dead task. */
    private static final int MAX_ANSWER = 64 << 20;

    private static final int MAX_SHOWN = 300;

    private final URI server;
    private final JsonMapper json;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();

    private final @Nullable Supplier<String> token;

    private ServerTaskResults(URI server, JsonMapper json, @Nullable Supplier<String> token) {
        this.server = server;
        this.json = json;
        this.token = token;
    }

    /**
     * Returns what asks a server.
     *
     * @param server its address, such as {@code http://127.0.0.1:8080}. It must know the queues of the tasks
     */
    public static ServerTaskResults of(URI server) {
        return of(server, JsonMapper.shared());
    }

    /** Returns what asks a server. @param json reads the results */
    public static ServerTaskResults of(URI server, JsonMapper json) {
        if (server.getHost() == null || !String.valueOf(server.getScheme()).matches("https?")) {
            throw new IllegalArgumentException(
                    "The server is '" + server + "': write its address like http://127.0.0.1:8080");
        }
        String text = server.toString();
        return new ServerTaskResults(
                URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text),
                Objects.requireNonNull(json, "json"),
                null);
    }

    /**
     * Returns the same with a token of the server's API, whose role is publisher at least.
     *
     * @param source returns the token; called for each request, so that it may change
     */
    public ServerTaskResults withToken(Supplier<String> source) {
        return new ServerTaskResults(server, json, Objects.requireNonNull(source, "source"));
    }

    @Override
    public <R> @Nullable R await(TaskRef<?> task, Class<R> type, Duration timeout) throws InterruptedException {
        long until = System.nanoTime() + timeout.toNanos();
        task.await(timeout);
        JsonNode ended = ended(task, until, timeout);
        Reason reason = reason(ended.path("state").asString(""));
        JsonNode shown = ended.path("task");
        if (reason != null) {
            String error = shown.path("error").asString("").lines().findFirst().orElse("");
            throw new TaskResultException(
                    reason,
                    "The task " + task.id() + " has ended as "
                            + ended.path("state").asString("") + (error.isEmpty() ? "" : ": " + shortened(error)),
                    null);
        } else if (type == Void.class) {
            return null;
        } else if (!shown.has("result")) {
            throw new TaskResultException(
                    Reason.NOT_KEPT,
                    "The task " + task.id() + " has succeeded, but its result is not kept: look at max-result-bytes of"
                            + " queue '" + task.queue() + "'",
                    null);
        }
        try {
            return json.treeToValue(shown.path("result"), type);
        } catch (JacksonException e) {
            throw new TaskResultException(
                    Reason.UNREADABLE,
                    "The result of the task " + task.id() + " cannot be read as " + type.getName() + ": "
                            + e.getOriginalMessage(),
                    e);
        }
    }

    private static @Nullable Reason reason(String state) {
        return switch (state) {
            case "dead" -> Reason.DEAD;
            case "expired" -> Reason.EXPIRED;
            case "cancelled" -> Reason.CANCELLED;
            default -> null;
        };
    }

    /** Asks until the task has ended. @throws TaskResultException if the time is over before */
    private JsonNode ended(TaskRef<?> task, long until, Duration timeout) throws InterruptedException {
        String problem = null;
        for (long left = left(until); left > 0; left = left(until)) {
            try {
                JsonNode answer = ask(task, Math.min(left, MAX_REQUEST_MILLIS));
                if (answer.path("ended").asBoolean(false)) {
                    return answer;
                }
                problem = null;
            } catch (IOException e) {
                problem = String.valueOf(e.getMessage() == null ? e : e.getMessage());
                Thread.sleep(Math.min(ASK_AGAIN_MILLIS, Math.max(0, left(until))));
            }
        }
        throw new TaskResultException(
                Reason.NOT_IN_TIME,
                "The task " + task.id() + " has not ended within " + timeout
                        + (problem == null
                                ? ""
                                : ", or the server at " + server + " could not say so: " + shortened(problem)),
                null);
    }

    private static long left(long until) {
        return TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
    }

    /** @throws IOException if the server may answer later */
    private JsonNode ask(TaskRef<?> task, long millis) throws IOException, InterruptedException {
        URI address = URI.create(server + "/api/v1/queues/" + UrlText.pathSegment(task.queue()) + "/tasks/"
                + UrlText.pathSegment(task.id()) + "/end?timeout=" + millis + "ms");
        HttpRequest.Builder request = HttpRequest.newBuilder(address)
                .header("Accept", "application/json")
                .timeout(Duration.ofMillis(millis + GRACE_MILLIS));
        if (token != null) {
            request.header("Authorization", "Bearer " + token.get());
        }
        HttpResponse<InputStream> response = http.send(request.build(), BodyHandlers.ofInputStream());
        byte[] body;
        try (InputStream in = response.body()) {
            body = in.readNBytes(MAX_ANSWER);
        }
        int status = response.statusCode();
        if (status == 200) {
            return read(body);
        }
        String detail = shortened(detail(body));
        if (status >= 500 || status == 429) {
            throw new IOException("status " + status + ", " + detail);
        }
        throw new IllegalStateException("The server at " + server + " does not wait for the task " + task.id()
                + " of queue '" + task.queue() + "': status " + status + ", " + detail);
    }

    private JsonNode read(byte[] body) throws IOException {
        try {
            return json.readTree(body);
        } catch (JacksonException e) {
            throw new IOException("its answer is no JSON", e);
        }
    }

    private String detail(byte[] body) {
        try {
            return json.readTree(body).path("detail").asString("");
        } catch (JacksonException e) {
            return "";
        }
    }

    private static String shortened(String text) {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
    }
}
