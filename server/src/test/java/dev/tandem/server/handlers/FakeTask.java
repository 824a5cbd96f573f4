package dev.tandem.server.handlers;

import dev.tandem.api.TaskContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A task with fixed values that tests can change. */
final class FakeTask implements TaskContext {
    private final Map<String, String> headers = new LinkedHashMap<>();
    private String id = "orders:0:17";
    private String key = "customer-7";
    private String payload = "the payload";
    private Instant deadline = Instant.parse("2026-11-20T10:00:30Z");

    FakeTask id(String value) {
        id = value;
        return this;
    }

    FakeTask key(String value) {
        key = value;
        return this;
    }

    FakeTask header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    FakeTask payload(String value) {
        payload = value;
        return this;
    }

    FakeTask deadline(Instant value) {
        deadline = value;
        return this;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String queue() {
        return "orders";
    }

    @Override
    public String type() {
        return "http";
    }

    @Override
    public String key() {
        return key;
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
        return headers;
    }

    @Override
    public int attempt() {
        return 3;
    }

    @Override
    public int maxAttempts() {
        return 8;
    }

    @Override
    public long token() {
        return 1_763_632_800_000_001L;
    }

    @Override
    public Optional<Instant> deadline() {
        return Optional.of(deadline);
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
