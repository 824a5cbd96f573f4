package dev.tandem.executor;

import dev.tandem.api.FanOutResult;
import dev.tandem.task.Envelope;
import dev.tandem.task.LogText;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.Subtask;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Does what follows the end of all subtasks, on a thread of its own: claims the fan-out, submits the final task, tells the fan-out
 * around it, and says that it is finished. If any step fails, the claim lapses, and somebody begins anew. Thread-safe.
 */
final class FanOutFinisher implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(FanOutFinisher.class);

    private static final long CLAIM_MILLIS = 30_000;
    private static final long IDLE_SECONDS = 10;
    private static final int MAX_WAITING = 10_000;

    private final FanOuts fanOuts;
    private final FanOutPublisher publisher;
    private final FanOutMetrics metrics;
    private final JsonMapper json = JsonMapper.shared();
    private final Executor thread;

    /** @param thread submits final tasks, which may block; it is ended with this object if it can be */
    FanOutFinisher(FanOuts fanOuts, FanOutPublisher publisher, FanOutMetrics metrics, Executor thread) {
        this.fanOuts = fanOuts;
        this.publisher = publisher;
        this.metrics = metrics;
        this.thread = thread;
    }

    /** Returns a thread that exists while it has something to do. */
    static ExecutorService thread() {
        ThreadPoolExecutor one = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_WAITING), action -> {
                    Thread made = new Thread(action, "tandem-fan-outs");
                    made.setDaemon(true);
                    return made;
                });
        one.allowCoreThreadTimeOut(true);
        return one;
    }

    /** Begins to do what follows the end of all subtasks, and returns at once. */
    void finish(String id) {
        fanOuts.ask(new FanOutRequest.View(id), answer -> {
            FanOutRecord record = answer == null ? null : answer.record();
            if (record != null && fanOuts.reaches(record)) {
                claim(id);
            } else if (record != null) {
                log.info(
                        "The final task of fan-out {} is left to other programs: the queue '{}' is not in the settings of"
                                + " this one",
                        id,
                        record.plan().finalQueue());
                fanOuts.ask(new FanOutRequest.Postpone(id, 0), postponed -> {});
            }
        });
    }

    private void claim(String id) {
        // The request may be repeated, if its answer is lost. Another claim of this process has another name.
        String claimant = UUID.randomUUID().toString();
        fanOuts.ask(new FanOutRequest.Claim(id, claimant, CLAIM_MILLIS), answer -> {
            FanOutRecord record = answer == null ? null : answer.record();
            if (record != null) {
                onThread(id, () -> submit(record));
            }
        });
    }

    private void onThread(String id, Runnable action) {
        try {
            thread.execute(action);
        } catch (RejectedExecutionException e) {
            log.debug("Fan-out {} is left to others", id);
        }
    }

    private void submit(FanOutRecord record) {
        String queue = record.plan().finalQueue();
        if (queue.isEmpty()) {
            tellParent(record);
        } else {
            try {
                publisher.prepare(finalTask(record)).send(problem -> submitted(record, problem));
            } catch (RuntimeException e) {
                submitted(record, e);
            }
        }
    }

    private void submitted(FanOutRecord record, @Nullable RuntimeException problem) {
        if (problem == null) {
            tellParent(record);
        } else {
            log.warn(
                    "The final task of fan-out {} was not accepted, and is submitted again in {} s: {}",
                    record.id(),
                    CLAIM_MILLIS / 1_000,
                    problem instanceof PublishException ? problem.getMessage() : problem.toString());
        }
    }

    private Task finalTask(FanOutRecord record) {
        Task task = Envelope.decode(record.plan().finalQueue(), record.plan().finalTask())
                .task();
        Map<String, String> headers = new LinkedHashMap<>(task.headers());
        headers.put(Subtask.RESULT_HEADER, json.writeValueAsString(FanOutResults.of(record)));
        String again = record.tries() > 1 ? "-" + record.tries() : "";
        return new Task(
                task.id() + again,
                task.queue(),
                task.type(),
                task.key(),
                task.payload(),
                headers,
                task.publishedAt(),
                task.notBefore(),
                task.timeoutMillis(),
                task.maxAttempts(),
                task.dedupKey());
    }

    private void tellParent(FanOutRecord record) {
        Subtask parent = record.plan().parent().isEmpty()
                ? null
                : Subtask.parse(record.plan().parent());
        if (parent == null) {
            finished(record);
            return;
        }
        FanOutResult result = FanOutResults.of(record);
        End end = end(result, record.master().end());
        String why = record.master().why();
        String text = FanOutResults.text(result) + (why.isEmpty() ? "" : "; " + why);
        String error = LogText.oneLine(text, FanOutRecord.MAX_ERROR);
        fanOuts.tell(new FanOutRequest.Tell(parent.fanOut(), parent.number(), end, error, record.id()), answer -> {
            if (answer != null) {
                finished(record);
            }
        });
    }

    /** Returns how a subtask ended that fanned out: as its fan-out, unless it ended worse itself. */
    private static End end(FanOutResult result, End master) {
        return switch (result.state()) {
            case COMPLETED -> master;
            case CANCELLED -> master == End.FAILED ? End.FAILED : End.CANCELLED;
            case FAILED, ABANDONED -> End.FAILED;
        };
    }

    private void finished(FanOutRecord record) {
        fanOuts.ask(new FanOutRequest.Finish(record.id()), answer -> {
            if (answer != null && answer.code() == FanOutAnswer.Code.OK) {
                FanOutResult result = FanOutResults.of(record);
                log.info(
                        "Fan-out {} of queue {} has ended: {}",
                        record.id(),
                        record.plan().queue(),
                        FanOutResults.text(result));
                metrics.fanOutEnded(
                        record.plan().queue(),
                        result.state().name().toLowerCase(Locale.ROOT),
                        Math.max(0, record.endedAt() - record.since()));
            }
        });
    }

    @Override
    public void close() {
        if (thread instanceof ExecutorService service) {
            service.shutdown();
        }
    }
}
