package dev.tandem.outbox;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRef;
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

    record Accepted(long row) implements Event {}

    record Refused(long row, String reason) implements Event {}

    record Failed(long row, String reason) implements Event {}

    record Unsent(long row) implements Event {}

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
     * @param mayPublish whether the relay has its buckets now; asked right before the client is called
     * @param events takes every event, from any thread; must not block
     */
    RowSender(TaskClient client, BooleanSupplier mayPublish, Consumer<Event> events) {
        this.client = client;
        this.mayPublish = mayPublish;
        this.events = events;
    }

    /** Submits rows of one queue. Each of them gets one event, and the queue gets one when the call has returned. */
    void send(String queue, List<OutboxRow> rows) {
        threads.execute(() -> {
            try {
                if (mayPublish.getAsBoolean()) {
                    submit(rows);
                } else {
                    rows.forEach(row -> events.accept(new Unsent(row.id())));
                }
            } finally {
                events.accept(new Returned(queue));
            }
        });
    }

    private void submit(List<OutboxRow> rows) {
        List<TaskRef<?>> refs;
        try {
            refs = client.submitAll(rows.stream().map(OutboxRow::task).toList());
        } catch (InvalidTaskException e) {
            // One of them is at fault, and none was submitted.
            rows.forEach(this::submitAlone);
            return;
        } catch (RuntimeException e) {
            rows.forEach(row -> fail(row, e));
            return;
        }
        for (int i = 0; i < rows.size(); i++) {
            follow(rows.get(i), refs.get(i));
        }
    }

    private void submitAlone(OutboxRow row) {
        if (!mayPublish.getAsBoolean()) {
            events.accept(new Unsent(row.id()));
            return;
        }
        try {
            follow(row, client.submit(row.task()));
        } catch (RuntimeException e) {
            fail(row, e);
        }
    }

    private void follow(OutboxRow row, TaskRef<?> ref) {
        ref.accepted().whenComplete((accepted, problem) -> {
            if (problem == null) {
                events.accept(new Accepted(row.id()));
            } else {
                fail(row, problem);
            }
        });
    }

    private void fail(OutboxRow row, Throwable problem) {
        Throwable cause =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        String message = cause.getMessage();
        String reason = message != null ? message : cause.toString();
        events.accept(
                cause instanceof InvalidTaskException ? new Refused(row.id(), reason) : new Failed(row.id(), reason));
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
