package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.outbox.RowSender.Event;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class RowSenderTest {

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final AtomicBoolean mayPublish = new AtomicBoolean(true);

    private static OutboxRow row(long id, String payload) {
        TaskRequest<Object> task = new TaskRequest<>(
                "orders", "ship", "k" + id, payload.getBytes(StandardCharsets.UTF_8), TaskOptions.id("t" + id));
        return new OutboxRow(version(id), 1, task, 100, 0, null);
    }

    private static OutboxRow.Version version(long id) {
        return new OutboxRow.Version(id, new UUID(0, id), 0);
    }

    private List<Event> send(FakeClient client, OutboxRow... rows) throws InterruptedException {
        List<Event> received = new ArrayList<>();
        try (RowSender sender = new RowSender(client, mayPublish::get, events::add)) {
            sender.send("orders", List.of(rows));
            while (!received.contains(new RowSender.Returned("orders"))) {
                Event next = events.poll(30, TimeUnit.SECONDS);
                assertThat(next).isNotNull();
                received.add(next);
            }
        }
        return received;
    }

    /** A call may block for seconds, so a lease that ends meanwhile counts for the next row. */
    @Test
    void asksBeforeEachRowWhetherItMayBePublished() throws InterruptedException {
        FakeClient client = new FakeClient(text -> {
            mayPublish.set(false);
            return FakeClient.acknowledged();
        });
        assertThat(send(client, row(1, "a"), row(2, "b")))
                .containsExactly(
                        new RowSender.Accepted(version(1)),
                        new RowSender.Unsent(version(2)),
                        new RowSender.Returned("orders"));
    }

    @Test
    void everyRowGetsOneEventWhateverTheClientThrows() throws InterruptedException {
        FakeClient client = new FakeClient(text -> {
            switch (text) {
                case "error" -> throw new OutOfMemoryError("Metaspace");
                case "exception" -> throw new IllegalStateException("closed");
                case "invalid" -> throw new InvalidTaskException("no such queue");
                default -> {
                    return FakeClient.acknowledged();
                }
            }
        });
        assertThat(send(client, row(1, "error"), row(2, "exception"), row(3, "invalid"), row(4, "fine")))
                .containsExactly(
                        new RowSender.Failed(version(1), "java.lang.OutOfMemoryError: Metaspace"),
                        new RowSender.Failed(version(2), "java.lang.IllegalStateException: closed"),
                        new RowSender.Unfit(version(3), "no such queue"),
                        new RowSender.Accepted(version(4)),
                        new RowSender.Returned("orders"));
    }
}
