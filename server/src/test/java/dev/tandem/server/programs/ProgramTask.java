package dev.tandem.server.programs;

import dev.tandem.api.TaskContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** A task whose command is run by a test. */
final class ProgramTask implements TaskContext {

    private final String payload;
    private volatile Object result;

    ProgramTask(String payload) {
        this.payload = payload;
    }

    String result() {
        return (String) result;
    }

    @Override
    public void result(Object value) {
        result = value;
    }

    @Override
    public String id() {
        return "o-7";
    }

    @Override
    public String queue() {
        return "orders";
    }

    @Override
    public String type() {
        return "cmd";
    }

    @Override
    public String key() {
        return "customer-7";
    }

    @Override
    public byte[] payload() {
        return payload.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public <T> T payload(Class<T> type) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<String, String> headers() {
        return Map.of();
    }

    @Override
    public int attempt() {
        return 1;
    }

    @Override
    public int maxAttempts() {
        return 8;
    }

    @Override
    public long token() {
        return 17;
    }

    @Override
    public Optional<Instant> deadline() {
        return Optional.empty();
    }

    @Override
    public boolean isCancelled() {
        return false;
    }

    @Override
    public Duration leaseRemaining() {
        return Duration.ofSeconds(10);
    }
}
