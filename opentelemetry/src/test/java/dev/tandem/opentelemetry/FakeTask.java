package dev.tandem.opentelemetry;

import dev.tandem.api.TaskContext;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An attempt at a task of the type "ship". */
record FakeTask(
        Map<String, String> headers, int attempt, @Nullable Duration waiting, boolean isCancelled)
        implements TaskContext {

    static FakeTask with(Map<String, String> headers) {
        return new FakeTask(headers, 1, Duration.ofMillis(1_500), false);
    }

    FakeTask at(int number) {
        return new FakeTask(headers, number, null, false);
    }

    FakeTask cancelled() {
        return new FakeTask(headers, attempt, waiting, true);
    }

    @Override
    public String id() {
        return "id-7";
    }

    @Override
    public String queue() {
        return "orders";
    }

    @Override
    public String type() {
        return "ship";
    }

    @Override
    public String key() {
        return "c-7";
    }

    @Override
    public byte[] payload() {
        return new byte[] {1, 2, 3};
    }

    @Override
    public <T> T payload(Class<T> type) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int maxAttempts() {
        return 3;
    }

    @Override
    public long token() {
        return 1;
    }

    @Override
    public Optional<Duration> waited() {
        return Optional.ofNullable(waiting);
    }

    @Override
    public Optional<Instant> deadline() {
        return Optional.empty();
    }

    @Override
    public Duration leaseRemaining() {
        return Duration.ofSeconds(10);
    }
}
