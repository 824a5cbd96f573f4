package dev.tandem.test;

import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.task.TaskHeaders.Read;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Publishes tasks to the queues of a test. */
final class MemoryPublisher implements Publisher {

    private final Consumer<Task> to;

    MemoryPublisher(Consumer<Task> to) {
        this.to = to;
    }

    @Override
    public CompletionStage<PublishedId> publish(Task task) {
        to.accept(asRead(task));
        return CompletableFuture.completedFuture(new PublishedId(String.valueOf(task.id()), "memory"));
    }

    @Override
    public Publication prepare(Task task) {
        return end -> {
            PublishException problem = null;
            try {
                to.accept(asRead(task));
            } catch (RuntimeException e) {
                problem = new PublishException(String.valueOf(e.getMessage()), e);
            }
            end.accept(problem);
        };
    }

    /** Returns what an executor reads of the task's message. Only a CloudEvent in structured mode differs from what was sent. */
    private static Task asRead(Task task) {
        if (!task.headers().getOrDefault(TaskHeaders.CONTENT_TYPE, "").startsWith("application/cloudevents")) {
            return task;
        }
        List<Field> fields = new ArrayList<>();
        TaskHeaders.write(task, (name, value) -> fields.add(new Field(name, value)));
        String key = task.key();
        byte[] keyBytes = key == null ? null : key.getBytes(StandardCharsets.UTF_8);
        Origin origin = new Origin(keyBytes, null, null, null, task.publishedAt(), task.publishedAt());
        Read read =
                new TaskHeaders(task.queue(), Binding.KAFKA, Integer.MAX_VALUE).read(fields, origin, task.payload());
        if (read.unreadable() != null) {
            throw new InvalidTaskException(read.unreadable());
        }
        return read.task();
    }

    @Override
    public void close() {}
}
