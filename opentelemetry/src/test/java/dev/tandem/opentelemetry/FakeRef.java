package dev.tandem.opentelemetry;

import dev.tandem.api.TaskRef;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A submission that a test ends. */
record FakeRef(CompletableFuture<TaskRef<Void>> accepted) implements TaskRef<Void> {

    @Override
    public String id() {
        return "id-7";
    }

    @Override
    public String queue() {
        return "orders";
    }

    @Override
    public TaskRef<Void> await(Duration timeout) {
        throw new UnsupportedOperationException();
    }
}
