package dev.tandem.server.handlers;

import dev.tandem.runtime.settings.HttpSettings;
import dev.tandem.task.FailureText;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.jspecify.annotations.Nullable;

/** Makes requests of the tasks of one queue, and posts them. Thread-safe. */
final class HttpPoster {

    private static final List<String> TRACE = List.of("traceparent", "tracestate", "baggage");

    private final HttpCalls calls;
    private final HttpTarget target;
    private final HttpSettings settings;
    private final RequestBody bodies;
    private final @Nullable WebhookSigner signer;
    private final HttpMetrics metrics;

    /** @param signer null if requests are not signed */
    HttpPoster(
            HttpCalls calls,
            HttpTarget target,
            HttpSettings settings,
            RequestBody bodies,
            @Nullable WebhookSigner signer,
            HttpMetrics metrics) {
        this.calls = calls;
        this.target = target;
        this.settings = settings;
        this.bodies = bodies;
        this.signer = signer;
        this.metrics = metrics;
    }

    /**
     * Posts a task.
     *
     * @param more further headers
     * @param time for everything
     * @throws HttpStatusException if there is no answer
     */
    HttpAnswer post(PostedTask task, Map<String, String> more, Duration time) throws InterruptedException {
        Map<String, String> headers = headers(task);
        headers.putAll(more);
        byte[] body = bodies.of(task, headers);
        if (signer != null) {
            signer.sign(task, body, headers);
        }
        HttpMetrics.Call call = metrics.begin();
        try {
            HttpAnswer answer = calls.post(target, headers, body, time);
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

    private Map<String, String> headers(PostedTask task) {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(settings.headers());
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
}
