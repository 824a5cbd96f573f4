package dev.tandem.server.api;

import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the lines of one batch, many at once, and counts what became of them. It reads no further while too much is
 * unconfirmed, and stops once the broker has refused to take a task. Used by one thread; the publisher tells it of the ends on others.
 */
final class BatchSubmission {

    /** How much may be unconfirmed: a task is one permit, and another one for each {@link #BYTES_PER_PERMIT} of its payload. */
    static final int WINDOW = 1_000;

    static final int BYTES_PER_PERMIT = 16_384;

    /** The most wrong lines. Whoever sends more does not send tasks. */
    static final int MAX_REFUSED = 1_000;

    /** The room for descriptions in an answer, in characters. Behind it lines are only named, with the types of their problems. */
    static final int MAX_DESCRIBED = 262_144;

    /** Reads lines. */
    interface Parser {

        /** Returns the task of a line. @param number from 1 on. @throws ApiException if it is none */
        Task task(byte[] line, long number);
    }

    private static final ApiException LOST = ProblemType.NOT_CONFIRMED.refusal(
            "The broker did not confirm the task in time", "Send it again; it may have been published nevertheless");

    private final Publisher publisher;
    private final Parser parser;
    private final long confirmMillis;
    private final Semaphore window = new Semaphore(WINDOW);
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicInteger refused = new AtomicInteger();

    /** The lines that are no tasks, also those of which only the publisher says so. */
    private final ConcurrentLinkedQueue<BatchViews.LineProblem> wrong = new ConcurrentLinkedQueue<>();

    /** The lines that wait for the broker, or that it did not confirm, with the reason of those. */
    private final ConcurrentHashMap<Long, ApiException> unconfirmed = new ConcurrentHashMap<>();

    private final AtomicInteger described = new AtomicInteger();
    private volatile boolean brokerFailed;
    private long lines;

    /**
     * @param confirmMillis how long to wait for the broker without any progress
     */
    BatchSubmission(Publisher publisher, Parser parser, long confirmMillis) {
        this.publisher = publisher;
        this.parser = parser;
        this.confirmMillis = confirmMillis;
    }

    /** Publishes lines until there are no more, or it makes no sense to go on. Then it waits for those under way. */
    void run(LineReader reader) throws IOException, InterruptedException {
        try {
            byte[] line = reader.next();
            while (line != null) {
                lines++;
                if (reader.isTooLong()) {
                    refuse(
                            lines,
                            ProblemType.TOO_LONG.refusal(
                                    "The line is too long",
                                    "Raise tandem.max-payload, or send a reference to the data"));
                } else if (!isBlank(line) && !submit(line)) {
                    return;
                }
                if (brokerFailed || hasTooManyRefused()) {
                    return;
                }
                line = reader.next();
            }
        } finally {
            brokerFailed |= !window.tryAcquire(WINDOW, confirmMillis, TimeUnit.MILLISECONDS);
        }
    }

    private static boolean isBlank(byte[] line) {
        for (byte each : line) {
            if (each != ' ' && each != '\t' && each != '\r') {
                return false;
            }
        }
        return true;
    }

    /** Returns false if the broker makes no progress. */
    private boolean submit(byte[] line) throws InterruptedException {
        Task task;
        try {
            task = parser.task(line, lines);
        } catch (ApiException e) {
            refuse(lines, e);
            return true;
        }
        int permits = Math.min(WINDOW, 1 + task.payload().length / BYTES_PER_PERMIT);
        if (!window.tryAcquire(permits, confirmMillis, TimeUnit.MILLISECONDS)) {
            unconfirmed.put(lines, LOST);
            brokerFailed = true;
            return false;
        }
        long number = lines;
        unconfirmed.put(number, LOST);
        publish(task).whenComplete((published, failure) -> {
            end(number, failure);
            window.release(permits);
        });
        return true;
    }

    private CompletionStage<?> publish(Task task) {
        try {
            return publisher.publish(task);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void end(long line, @Nullable Throwable failure) {
        if (failure == null) {
            unconfirmed.remove(line);
            accepted.incrementAndGet();
            return;
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        ApiException refusal = SubmitController.refusal(cause) instanceof ApiException known
                ? known
                : ProblemType.NOT_CONFIRMED.refusal(
                        "The server failed to publish the task ("
                                + cause.getClass().getSimpleName() + ")",
                        "See the server's log");
        if (refusal.type() == ProblemType.INVALID_TASK) {
            unconfirmed.remove(line);
            refuse(line, refusal);
        } else {
            unconfirmed.put(line, refusal);
            brokerFailed = true;
        }
    }

    private void refuse(long line, ApiException refusal) {
        refused.incrementAndGet();
        wrong.add(bounded(BatchViews.LineProblem.of(line, refusal)));
    }

    private BatchViews.LineProblem bounded(BatchViews.LineProblem problem) {
        return described.addAndGet(problem.length()) <= MAX_DESCRIBED ? problem : problem.brief();
    }

    /** Returns what became of the lines that were read. Called once, when all is over. */
    BatchViews.Batch result(String queue) {
        List<BatchViews.LineProblem> problems = new ArrayList<>(wrong);
        int ofWrong = problems.size();
        unconfirmed.forEach((line, why) -> problems.add(bounded(BatchViews.LineProblem.of(line, why))));
        long unknown = problems.size() - ofWrong;
        problems.sort(Comparator.comparingLong(BatchViews.LineProblem::line));
        return new BatchViews.Batch(queue, lines, accepted.get(), ofWrong, unknown, problems);
    }

    /** Whether it ended early because the broker did not take a task. */
    boolean hasBrokerFailed() {
        return brokerFailed;
    }

    /** Whether it ended early because too many lines were wrong. */
    boolean hasTooManyRefused() {
        return refused.get() >= MAX_REFUSED;
    }
}
