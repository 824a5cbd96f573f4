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
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
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

    private static final ApiException LOST = ProblemType.NOT_CONFIRMED.refusal(
            "The broker did not confirm the task in time", "Send it again; it may have been published nevertheless");

    private final Publisher publisher;
    private final Function<byte[], Task> parse;
    private final long confirmMillis;
    private final Semaphore window = new Semaphore(WINDOW);
    private final AtomicLong accepted = new AtomicLong();
    private final List<BatchViews.LineProblem> refused = new ArrayList<>();

    /** The lines that wait for the broker, or that it did not take, with the reason of those. */
    private final ConcurrentHashMap<Long, ApiException> unconfirmed = new ConcurrentHashMap<>();

    private volatile boolean brokerFailed;
    private long lines;

    /**
     * @param parse returns the task of a line, or throws {@link ApiException}
     * @param confirmMillis how long to wait for the broker without any progress
     */
    BatchSubmission(Publisher publisher, Function<byte[], Task> parse, long confirmMillis) {
        this.publisher = publisher;
        this.parse = parse;
        this.confirmMillis = confirmMillis;
    }

    /** Publishes lines until there are no more, or it makes no sense to go on. Then it waits for those under way. */
    void run(LineReader reader) throws IOException, InterruptedException {
        try {
            byte[] line = reader.next();
            while (line != null) {
                lines++;
                if (reader.isTooLong()) {
                    refuse(ProblemType.TOO_LONG.refusal(
                            "The line is too long", "Raise tandem.max-payload, or send a reference to the data"));
                } else if (!isBlank(line) && !submit(line)) {
                    return;
                }
                if (brokerFailed || refused.size() >= MAX_REFUSED) {
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
            task = parse.apply(line);
        } catch (ApiException e) {
            refuse(e);
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
        unconfirmed.put(line, refusal);
        brokerFailed |= refusal.type() != ProblemType.INVALID_TASK;
    }

    private void refuse(ApiException refusal) {
        refused.add(BatchViews.LineProblem.of(lines, refusal));
    }

    /** Returns what became of the lines that were read. */
    BatchViews.Batch result(String queue) {
        List<BatchViews.LineProblem> problems = new ArrayList<>(refused);
        unconfirmed.forEach((line, why) -> problems.add(BatchViews.LineProblem.of(line, why)));
        problems.sort(Comparator.comparingLong(BatchViews.LineProblem::line));
        return new BatchViews.Batch(queue, lines, accepted.get(), problems.size(), problems);
    }

    /** Whether it ended early because the broker did not take a task. */
    boolean hasBrokerFailed() {
        return brokerFailed;
    }

    /** Whether it ended early because too many lines were wrong. */
    boolean hasTooManyRefused() {
        return refused.size() >= MAX_REFUSED;
    }
}
