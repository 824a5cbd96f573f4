package dev.tandem.outbox;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRef;
import dev.tandem.outbox.OutboxRow.Version;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Hands rows to the client, on threads of its own: a call may block while a broker is away, and must not hold up other
 * queues. Thread-safe.
 */
final class RowSender implements AutoCloseable {

    /** The outcome of a row, or of a call. */
    sealed interface Event {}

    record Accepted(Version row) implements Event {}

    /** The client says that the task can never be published as it is. */
    record Unfit(Version row, String reason) implements Event {}

    record Failed(Version row, String reason) implements Event {}

    record Unsent(Version row) implements Event {}

    record Returned(String queue) implements Event {}

    private final TaskClient client;
    private final BooleanSupplier mayPublish;
    private final Consumer<Event> events;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "tandem-outbox-send");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * @param mayPublish whether the relay has its buckets now; asked right before each call of the client
     * @param events takes every event, from any thread; must not block
     */
    RowSender(TaskClient client, BooleanSupplier mayPublish, Consumer<Event> events) {
        this.client = client;
        this.mayPublish = mayPublish;
        this.events = events;
    }

    /**
     * Submits rows of one queue, in their order. Each of them gets one event, and the queue gets one when that is done,
     * whatever the client throws.
     */
    void send(String queue, List<OutboxRow> rows) {
        try {
            threads.execute(() -> {
                try {
                    rows.forEach(this::submit);
                } finally {
                    events.accept(new Returned(queue));
                }
            });
        } catch (RuntimeException | Error e) { // no thread, for instance
            rows.forEach(row -> failed(row, e));
            events.accept(new Returned(queue));
        }
    }

    private void submit(OutboxRow row) {
        try {
            // A call may block, so each row asks for itself.
            if (mayPublish.getAsBoolean()) {
                follow(row, client.submit(row.task()));
            } else {
                events.accept(new Unsent(row.version()));
            }
        } catch (RuntimeException | Error e) {
            failed(row, e);
        }
    }

    private void follow(OutboxRow row, TaskRef<?> ref) {
        ref.accepted().whenComplete((accepted, problem) -> {
            if (problem == null) {
                events.accept(new Accepted(row.version()));
            } else {
                failed(row, problem);
            }
        });
    }

    private void failed(OutboxRow row, Throwable problem) {
        Throwable cause =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        String message = cause instanceof SubmitException ? cause.getMessage() : null;
        String reason = message != null ? message : cause.toString();
        events.accept(
                cause instanceof InvalidTaskException
                        ? new Unfit(row.version(), reason)
                        : new Failed(row.version(), reason));
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
