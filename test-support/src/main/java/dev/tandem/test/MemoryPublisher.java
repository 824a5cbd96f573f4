package dev.tandem.test;

import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
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
        to.accept(task);
        return CompletableFuture.completedFuture(new PublishedId(String.valueOf(task.id()), "memory"));
    }

    @Override
    public Publication prepare(Task task) {
        return end -> {
            PublishException problem = null;
            try {
                to.accept(task);
            } catch (RuntimeException e) {
                problem = new PublishException(String.valueOf(e.getMessage()), e);
            }
            end.accept(problem);
        };
    }

    @Override
    public void close() {}
}
