package dev.tandem.server.api;

import dev.tandem.server.settings.TandemSettings;
import dev.tandem.task.Publisher;
import dev.tandem.task.Publisher.InvalidTaskException;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.Publisher.PublishedId;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.http.HttpStatus;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Publishes tasks to the brokers of their queues. */
@RestController
final class SubmitController {

    private static final long PUBLISH_TIMEOUT_SECONDS = 35;

    /** The room for everything but the payload in the JSON form: field names, and headers up to their limit. */
    private static final int JSON_ALLOWANCE = 2 * TaskHeaders.MAX_HEADER_BYTES;

    /** Headers of the request that are passed on, besides those that begin with {@code tandem-}. */
    private static final Set<String> PASSED_ON = Set.of(TaskHeaders.CONTENT_TYPE, "traceparent", "tracestate");

    private final ConfiguredQueues queues;
    private final Publisher publisher;
    private final int maxPayload;
    private final InstantSource clock;

    SubmitController(ConfiguredQueues queues, Publisher publisher, TandemSettings settings, InstantSource clock) {
        this.queues = queues;
        this.publisher = publisher;
        this.maxPayload = (int) settings.maxPayload().toBytes();
        this.clock = clock;
    }

    @PostMapping("/api/v1/queues/{queue}/tasks")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Published submit(@PathVariable String queue, HttpServletRequest request) throws IOException {
        queues.get(queue);
        // Any dialect will do: they differ only in the names of CloudEvents headers.
        TaskHeaders reader = new TaskHeaders(queue, TaskHeaders.Dialect.KAFKA, maxPayload);
        Task task = submission(request).task(reader, clock.millis());
        PublishedId published = publish(task);
        return new Views.Published(queue, published.id(), published.place());
    }

    private Submission submission(HttpServletRequest request) throws IOException {
        String contentType = request.getContentType();
        boolean json = contentType != null && MediaType.APPLICATION_JSON.isCompatibleWith(mediaType(contentType));
        // Base64 and escapes make the JSON form longer than the payload.
        long limit = json ? 2L * maxPayload + JSON_ALLOWANCE : maxPayload;
        byte[] body = request.getInputStream().readNBytes((int) Math.min(Integer.MAX_VALUE - 8, limit + 1));
        if (body.length > limit) {
            throw new ApiException(
                    HttpStatus.CONTENT_TOO_LARGE,
                    "The body is longer than " + limit + " bytes",
                    "Raise tandem.max-payload, which is " + maxPayload + " bytes, or send a reference to the data");
        }
        return json ? Submission.json(body) : Submission.raw(messageHeaders(request), body);
    }

    private static MediaType mediaType(String text) {
        try {
            return MediaType.parseMediaType(text);
        } catch (InvalidMediaTypeException e) {
            throw ApiException.badRequest("The Content-Type '" + text + "' is not valid", "Write it as type/subtype");
        }
    }

    private static Map<String, String> messageHeaders(HttpServletRequest request) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (String name : Collections.list(request.getHeaderNames())) {
            String lower = name.toLowerCase(Locale.ROOT);
            if (lower.startsWith("tandem-") || PASSED_ON.contains(lower)) {
                headers.put(lower, request.getHeader(name));
            }
        }
        return headers;
    }

    private PublishedId publish(Task task) {
        try {
            return publisher.publish(task).toCompletableFuture().get(PUBLISH_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof InvalidTaskException invalid) {
                throw ApiException.badRequest(String.valueOf(invalid.getMessage()), "Correct it and send it again");
            }
            if (e.getCause() instanceof PublishException refused) {
                throw ApiException.unavailable(
                        String.valueOf(refused.getMessage()), "Send it again; it may have been published nevertheless");
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw ApiException.unavailable(
                    "The broker did not confirm the task within " + PUBLISH_TIMEOUT_SECONDS + " s",
                    "Send it again; it may have been published nevertheless");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ApiException.unavailable("The server is stopping", "Send it again to another server");
        }
    }
}
