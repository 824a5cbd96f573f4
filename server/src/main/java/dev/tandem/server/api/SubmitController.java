package dev.tandem.server.api;

import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.words.RequestLanguage;
import dev.tandem.server.words.Sentence;
import dev.tandem.server.words.Wordbook;
import dev.tandem.task.Publisher;
import dev.tandem.task.Publisher.InvalidTaskException;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import jakarta.servlet.http.HttpServletRequest;
import java.time.InstantSource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
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
    private final IdempotencyKeys keys;
    private final SubmitWarnings warnings;
    private final PendingSubmissions pending = new PendingSubmissions();

    SubmitController(
            ConfiguredQueues queues,
            Publisher publisher,
            IdempotencyKeys keys,
            TandemSettings settings,
            InstantSource clock) {
        this.queues = queues;
        this.keys = keys;
        this.publisher = publisher;
        this.maxPayload = (int) settings.maxPayload().toBytes();
        this.clock = clock;
        this.warnings = new SubmitWarnings(queues);
    }

    @Needs(Permission.SUBMIT)
    @PostMapping("/api/v1/queues/{queue}/tasks")
    @ResponseStatus(HttpStatus.ACCEPTED)
    DeferredResult<Views.Published> submit(@PathVariable String queue, HttpServletRequest request) {
        queues.get(queue);
        // Any binding will do: they differ only in the names of CloudEvents headers.
        TaskHeaders reader = new TaskHeaders(queue, TaskHeaders.Binding.KAFKA, maxPayload);
        IdempotentRequest keyed = keys.of(request, "task", queue);
        byte[] body = keyed == null ? new byte[0] : RequestLimitFilter.body(request);
        Submission submission = submission(request);
        if (keyed == null) {
            Task task = submission.task(reader, clock.millis());
            return publish(task, request, () -> confirmed(queue, task, request));
        }
        byte[] content = IdempotencyKeys.bytes(submission.json() ? "json" : messageHeaders(request) + "\n");
        String fingerprint = IdempotencyKeys.hash(content, body);
        Task task = keyed.recognised(submission, 0, IdempotencyKeys.bytes(fingerprint))
                .task(reader, clock.millis());
        return publish(task, request, () -> keyed.once(fingerprint, () -> confirmed(queue, task, request)));
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
                    Sentence.of("problem.form", type.getType(), type.getSubtype()), Sentence.of("remedy.form"));
        }
        boolean json = type != null && MediaType.APPLICATION_JSON.isCompatibleWith(type);
        byte[] body = RequestLimitFilter.takeBody(request);
        if (!json && body.length > maxPayload) {
            throw ProblemType.TOO_LONG.refusal(
                    Sentence.of("problem.body-too-long", maxPayload), Sentence.of("remedy.too-long"));
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
                    Sentence.of("problem.content-type", text),
                    Sentence.of("remedy.content-type"));
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

    /** Answers when the outcome is known. No thread waits for that. */
    private DeferredResult<Views.Published> publish(
            Task task, HttpServletRequest request, Supplier<CompletableFuture<Views.Published>> publication) {
        DeferredResult<Views.Published> answer = new DeferredResult<>(ANSWER_TIMEOUT_MILLIS);
        Wordbook words = Wordbook.in(RequestLanguage.asked(request));
        List<Sentence> given = warnings.of(task);
        List<String> warned =
                given == null ? null : given.stream().map(words::say).toList();
        int size = task.payload().length;
        pending.begin(size);
        CompletableFuture<Views.Published> outcome;
        try {
            outcome = publication.get();
        } catch (RuntimeException | Error e) {
            pending.end(size);
            throw e;
        }
        outcome.whenComplete((published, failure) -> {
            pending.end(size);
            if (failure == null) {
                answer.setResult(published.with(warned));
            } else {
                answer.setErrorResult(refusal(failure));
            }
        });
        return answer;
    }

    /** Publishes. The result comes when the broker has confirmed the task. */
    private CompletableFuture<Views.Published> confirmed(String queue, Task task, HttpServletRequest request) {
        return publisher
                .publish(task)
                .toCompletableFuture()
                .copy()
                .orTimeout(PUBLISH_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .thenApply(published -> {
                    AuditInterceptor.published(request, 1);
                    return new Views.Published(queue, published.id(), published.place());
                });
    }

    /** Says why a task was not published. */
    static Exception refusal(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof ApiException || cause instanceof UnavailableException) {
            return (Exception) cause;
        } else if (cause instanceof InvalidTaskException invalid) {
            return ProblemType.INVALID_TASK.refusal(
                    Sentence.problem(String.valueOf(invalid.getMessage())), Sentence.of("remedy.correct-and-send"));
        } else if (cause instanceof PublishException refused) {
            return ProblemType.NOT_CONFIRMED.refusal(
                    Sentence.problem(String.valueOf(refused.getMessage())), Sentence.of("remedy.send-again"));
        } else if (cause instanceof TimeoutException) {
            return ProblemType.NOT_CONFIRMED.refusal(
                    Sentence.of("problem.not-confirmed", PUBLISH_TIMEOUT_SECONDS), Sentence.of("remedy.send-again"));
        }
        return new IllegalStateException(cause);
    }
}
