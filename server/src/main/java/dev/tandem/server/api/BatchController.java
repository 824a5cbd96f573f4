package dev.tandem.server.api;

import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.task.Publisher;
import dev.tandem.task.TaskHeaders;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.InstantSource;
import java.util.concurrent.Semaphore;
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

    private static final long CONFIRM_MILLIS = 35_000;

    private final ConfiguredQueues queues;
    private final Publisher publisher;
    private final int maxPayload;
    private final int maxLine;
    private final InstantSource clock;
    private final Semaphore places = new Semaphore(MOST);

    BatchController(ConfiguredQueues queues, Publisher publisher, TandemSettings settings, InstantSource clock) {
        this.queues = queues;
        this.publisher = publisher;
        this.maxPayload = (int) settings.maxPayload().toBytes();
        this.maxLine = SubmitController.maxBody(settings);
        this.clock = clock;
    }

    @Needs(Permission.SUBMIT)
    @PostMapping("/api/v1/queues/{queue}/tasks/batch")
    ResponseEntity<Object> submit(@PathVariable String queue, HttpServletRequest request) throws IOException {
        queues.get(queue);
        if (!places.tryAcquire()) {
            throw ProblemType.BUSY.refusal(
                    "The server reads " + MOST + " batches already", "Try again in a second, or ask another server");
        }
        try {
            return read(queue, request);
        } finally {
            places.release();
        }
    }

    private ResponseEntity<Object> read(String queue, HttpServletRequest request) throws IOException {
        TaskHeaders reader = new TaskHeaders(queue, TaskHeaders.Binding.KAFKA, maxPayload);
        BatchSubmission batch = new BatchSubmission(
                publisher, line -> Submission.json(line).task(reader, clock.millis()), CONFIRM_MILLIS);
        ApiException stopped = null;
        try {
            batch.run(new LineReader(request.getInputStream(), maxLine));
        } catch (IOException e) {
            stopped = ProblemType.INVALID_REQUEST.refusal(
                    "The body is incomplete", "Send the lines after the last one that was read");
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
        return stopped == null ? ResponseEntity.accepted().body(result) : problem(stopped, result, request);
    }

    private static ResponseEntity<Object> problem(
            ApiException stopped, BatchViews.Batch result, HttpServletRequest request) {
        request.setAttribute(UnreadBodyValve.REFUSED, Boolean.TRUE);
        ProblemDetail problem =
                ProblemDetails.of(stopped.type(), String.valueOf(stopped.getMessage()), stopped.remedy());
        problem.setProperty("lines", result.lines());
        problem.setProperty("accepted", result.accepted());
        problem.setProperty("problems", result.problems());
        return ResponseEntity.status(problem.getStatus()).body(problem);
    }
}
