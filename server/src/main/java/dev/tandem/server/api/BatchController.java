package dev.tandem.server.api;

import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.KeyedRequests;
import dev.tandem.server.words.Language;
import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.security.DigestInputStream;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Publishes streams of tasks, a line each. The thread of the request reads them, and waits while the broker is slower. */
@RestController
final class BatchController {

    /** The batches at a time: each keeps a thread and up to 16 MiB of payloads. */
    static final int MOST = 4;

    /** How many of them one caller may have. */
    static final int MOST_OF_CALLER = 2;

    private static final long CONFIRM_MILLIS = 35_000;

    private final ConfiguredQueues queues;
    private final Publisher publisher;
    private final int maxPayload;
    private final int maxLine;
    private final long patienceNanos;
    private final InstantSource clock;
    private final IdempotencyKeys keys;
    private final CallerPlaces places = new CallerPlaces(MOST, MOST_OF_CALLER);

    BatchController(
            ConfiguredQueues queues,
            Publisher publisher,
            IdempotencyKeys keys,
            TandemSettings settings,
            InstantSource clock) {
        this.queues = queues;
        this.keys = keys;
        this.publisher = publisher;
        this.maxPayload = (int) settings.maxPayload().toBytes();
        this.maxLine = SubmitController.maxBody(settings);
        this.patienceNanos = settings.api().bodyTimeout().toNanos();
        this.clock = clock;
    }

    @Needs(Permission.SUBMIT)
    @PostMapping("/api/v1/queues/{queue}/tasks/batch")
    ResponseEntity<Object> submit(@PathVariable String queue, HttpServletRequest request) throws IOException {
        queues.get(queue);
        IdempotentRequest keyed = keys.of(request, "batch", queue);
        places.take(request, "batches");
        try {
            InputStream body = new PacedInput(request.getInputStream(), patienceNanos, System::nanoTime);
            return keyed == null ? read(queue, request, body, null) : once(keyed, queue, request, body);
        } finally {
            places.leave(request);
        }
    }

    /** Reads a batch, or only its hash if there is an answer to it. */
    private ResponseEntity<Object> once(
            IdempotentRequest keyed, String queue, HttpServletRequest request, InputStream sent) throws IOException {
        KeyedRequests.Begin earlier = keyed.beginBatch();
        if (earlier != null && earlier.state() != KeyedRequests.State.DONE) {
            request.setAttribute(UnreadBodyValve.REFUSED, Boolean.TRUE);
            return ResponseEntity.accepted().body(keyed.earlier(earlier, "", BatchViews.Batch.class));
        }
        DigestInputStream body = new DigestInputStream(sent, IdempotencyKeys.sha256());
        if (earlier != null) {
            try {
                body.transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                request.setAttribute(UnreadBodyValve.REFUSED, Boolean.TRUE);
                throw unread(e, "Send it again");
            }
            return ResponseEntity.accepted().body(keyed.earlier(earlier, fingerprint(body), BatchViews.Batch.class));
        }
        boolean isDone = false;
        try {
            ResponseEntity<Object> answer = read(queue, request, body, keyed);
            if (answer.getBody() instanceof BatchViews.Batch result) {
                keyed.finishBatch(fingerprint(body), result.shortened());
                isDone = true;
            }
            return answer;
        } finally {
            if (!isDone) {
                keyed.forgetBatch();
            }
        }
    }

    private ApiException unread(IOException failure, String remedy) {
        return failure instanceof SocketTimeoutException
                ? ProblemType.SLOW_BODY.refusal(
                        "The batch comes too slowly",
                        remedy + ", with " + PacedInput.LEAST_PACE
                                + " bytes a second and without long pauses: the server"
                                + " waits for tandem.api.body-timeout ("
                                + TimeUnit.NANOSECONDS.toSeconds(patienceNanos) + " s) in all")
                : ProblemType.INVALID_REQUEST.refusal("The body is incomplete", remedy);
    }

    private static String fingerprint(DigestInputStream body) {
        return HexFormat.of().formatHex(body.getMessageDigest().digest());
    }

    private Task task(TaskHeaders reader, byte[] line, long number, @Nullable IdempotentRequest keyed) {
        Submission submission = Submission.json(line);
        if (keyed != null) {
            keyed.goOn();
            submission = keyed.recognised(submission, number, line);
        }
        return submission.task(reader, clock.millis());
    }

    private ResponseEntity<Object> read(
            String queue, HttpServletRequest request, InputStream body, @Nullable IdempotentRequest keyed)
            throws IOException {
        TaskHeaders reader = new TaskHeaders(queue, TaskHeaders.Binding.KAFKA, maxPayload);
        BatchSubmission batch =
                new BatchSubmission(publisher, (line, number) -> task(reader, line, number, keyed), CONFIRM_MILLIS);
        ApiException stopped = null;
        try {
            batch.run(new LineReader(body, maxLine));
        } catch (IOException e) {
            stopped = unread(e, "Send the lines after the last one that was read");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stopped = ProblemType.STOPPING.refusal(
                    "The server stops", "Send the lines after the last one that was read to another server");
        }
        if (batch.hasBrokerFailed()) {
            stopped = ProblemType.NOT_CONFIRMED.refusal(
                    "The broker did not take all tasks",
                    "Send the lines with problems, and those after the last one that was read, again");
        } else if (batch.hasTooManyRefused()) {
            stopped = ProblemType.INVALID_BODY.refusal(
                    BatchSubmission.MAX_REFUSED + " lines are no tasks",
                    "Send a task as JSON on each line; see docs/protocol.md");
        }
        BatchViews.Batch result = batch.result(queue);
        AuditInterceptor.published(request, result.accepted());
        return stopped == null ? ResponseEntity.accepted().body(result) : problem(stopped, result, request);
    }

    private static ResponseEntity<Object> problem(
            ApiException stopped, BatchViews.Batch result, HttpServletRequest request) {
        request.setAttribute(UnreadBodyValve.REFUSED, Boolean.TRUE);
        ProblemDetail problem = ProblemDetails.of(Language.EN, stopped.type(), stopped.detail(), stopped.remedy());
        problem.setProperty("lines", result.lines());
        problem.setProperty("accepted", result.accepted());
        problem.setProperty("refused", result.refused());
        problem.setProperty("unconfirmed", result.unconfirmed());
        problem.setProperty("problems", result.problems());
        return ResponseEntity.status(problem.getStatus()).body(problem);
    }
}
