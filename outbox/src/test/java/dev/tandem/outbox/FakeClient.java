package dev.tandem.outbox;

import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/** A client without a broker, which answers as a test says. Thread-safe. */
final class FakeClient implements TaskClient {

    final Queue<String> submitted = new ConcurrentLinkedQueue<>();
    private final Function<String, CompletableFuture<Void>> broker;

    /** @param broker answers a task, which it gets by its payload; or throws */
    FakeClient(Function<String, CompletableFuture<Void>> broker) {
        this.broker = broker;
    }

    static CompletableFuture<Void> acknowledged() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public <T> TaskRef<T> submit(TaskRequest<T> task) {
        String text = new String((byte[]) task.payload(), StandardCharsets.UTF_8);
        submitted.add(text);
        return new Ref<>(task, broker.apply(text));
    }

    @Override
    public List<TaskRef<?>> submitAll(List<? extends TaskRequest<?>> tasks) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}

    private record Ref<T>(TaskRequest<T> task, CompletableFuture<Void> answer) implements TaskRef<T> {

        @Override
        public String id() {
            return task.options().id();
        }

        @Override
        public String queue() {
            return task.queue();
        }

        @Override
        public CompletableFuture<TaskRef<T>> accepted() {
            return answer.thenApply(any -> this);
        }

        @Override
        public TaskRef<T> await(Duration timeout) {
            throw new UnsupportedOperationException();
        }
    }
}
