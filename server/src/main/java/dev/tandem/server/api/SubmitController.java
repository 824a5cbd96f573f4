package dev.tandem.server.api;

import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.task.Publisher;
import dev.tandem.task.Publisher.InvalidTaskException;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.Publisher.PublishedId;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import jakarta.servlet.http.HttpServletRequest;
import java.time.InstantSource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.http.HttpStatus;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

/** Publishes tasks to the brokers of their queues. */
@RestController
final class SubmitController {

    private static final long PUBLISH_TIMEOUT_SECONDS = 35;

    /** Longer than the publisher takes in any case. */
    private static final long ANSWER_TIMEOUT_MILLIS = TimeUnit.SECONDS.toMillis(PUBLISH_TIMEOUT_SECONDS + 10);

    /** The room for everything but the payload in the JSON form: field names, and headers up to their limit. */
    private static final int JSON_ALLOWANCE = 2 * TaskHeaders.MAX_HEADER_BYTES;

    /** The content types that browsers send for the forms of web pages. */
    private static final Set<MediaType> FORMS =
            Set.of(MediaType.APPLICATION_FORM_URLENCODED, MediaType.MULTIPART_FORM_DATA);

    /** Headers of the request that are passed on, besides those that begin with {@code tandem-}. */
    private static final Set<String> PASSED_ON =
            Set.of(TaskHeaders.CONTENT_TYPE, "traceparent", "tracestate", "baggage");

    private final ConfiguredQueues queues;
    private final Publisher publisher;
    private final int maxPayload;
    private final InstantSource clock;
    private final PendingSubmissions pending = new PendingSubmissions();

    SubmitController(ConfiguredQueues queues, Publisher publisher, TandemSettings settings, InstantSource clock) {
        this.queues = queues;
        this.publisher = publisher;
        this.maxPayload = (int) settings.maxPayload().toBytes();
        this.clock = clock;
    }

    @Needs(Permission.SUBMIT)
    @PostMapping("/api/v1/queues/{queue}/tasks")
    @ResponseStatus(HttpStatus.ACCEPTED)
    DeferredResult<Views.Published> submit(@PathVariable String queue, HttpServletRequest request) {
        queues.get(queue);
        // Any binding will do: they differ only in the names of CloudEvents headers.
        TaskHeaders reader = new TaskHeaders(queue, TaskHeaders.Binding.KAFKA, maxPayload);
        Task task = submission(request).task(reader, clock.millis());
        return publish(queue, task);
    }

    /** Returns the length of the longest body: the JSON form of a task with the largest payload. */
    static int maxBody(TandemSettings settings) {
        // Base64 and escapes make the JSON form longer than the payload.
        return (int) Math.min(Integer.MAX_VALUE - 8, 2L * settings.maxPayload().toBytes() + JSON_ALLOWANCE);
    }

    private Submission submission(HttpServletRequest request) {
        String contentType = request.getContentType();
        MediaType type = contentType == null ? null : mediaType(contentType);
        if (type != null && FORMS.stream().anyMatch(type::equalsTypeAndSubtype)) {
            // Clients such as curl say so unless they are told otherwise.
            throw ProblemType.UNSUPPORTED_MEDIA_TYPE.refusal(
                    "The Content-Type is " + type.getType() + "/" + type.getSubtype()
                            + ", but a task is not the form of a web page",
                    "Send Content-Type: application/json with a task as JSON, or the payload itself with its own type,"
                            + " for instance application/octet-stream (with curl: -H 'Content-Type: application/json')");
        }
        boolean json = type != null && MediaType.APPLICATION_JSON.isCompatibleWith(type);
        byte[] body = RequestLimitFilter.takeBody(request);
        if (!json && body.length > maxPayload) {
            throw ProblemType.TOO_LONG.refusal(
                    "The body is longer than " + maxPayload + " bytes",
                    "Raise tandem.max-payload, or send a reference to the data");
        }
        return json ? Submission.json(body) : Submission.raw(messageHeaders(request), body);
    }

    private static MediaType mediaType(String text) {
        try {
            return MediaType.parseMediaType(text);
        } catch (InvalidMediaTypeException e) {
            throw ApiException.header(
                    ProblemType.INVALID_REQUEST,
                    "Content-Type",
                    "The Content-Type '" + text + "' is not valid",
                    "Write it as type/subtype");
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

    /** Publishes, and answers when the broker has confirmed the task. No thread waits for that. */
    private DeferredResult<Views.Published> publish(String queue, Task task) {
        DeferredResult<Views.Published> answer = new DeferredResult<>(ANSWER_TIMEOUT_MILLIS);
        int size = task.payload().length;
        pending.begin(size);
        CompletableFuture<PublishedId> confirmed;
        try {
            confirmed = publisher.publish(task).toCompletableFuture();
        } catch (RuntimeException | Error e) {
            pending.end(size);
            throw e;
        }
        confirmed.copy().orTimeout(PUBLISH_TIMEOUT_SECONDS, TimeUnit.SECONDS).whenComplete((published, failure) -> {
            pending.end(size);
            if (failure == null) {
                answer.setResult(new Views.Published(queue, published.id(), published.place()));
            } else {
                answer.setErrorResult(refusal(failure));
            }
        });
        return answer;
    }

    /** Says why a task was not published. */
    static Exception refusal(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof InvalidTaskException invalid) {
            return ProblemType.INVALID_TASK.refusal(
                    String.valueOf(invalid.getMessage()), "Correct it and send it again");
        } else if (cause instanceof PublishException refused) {
            return ProblemType.NOT_CONFIRMED.refusal(
                    String.valueOf(refused.getMessage()), "Send it again; it may have been published nevertheless");
        } else if (cause instanceof TimeoutException) {
            return ProblemType.NOT_CONFIRMED.refusal(
                    "The broker did not confirm the task within " + PUBLISH_TIMEOUT_SECONDS + " s",
                    "Send it again; it may have been published nevertheless");
        }
        return new IllegalStateException(cause);
    }
}
