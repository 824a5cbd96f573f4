package dev.tandem.spring;

import dev.tandem.outbox.OutboxBacklog;
import dev.tandem.outbox.RelayStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Measures the outbox. Reads the table at most every five seconds, when somebody asks. */
final class OutboxMetrics {

    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ApplicationOutbox outbox;
    private final OutboxLifecycle lifecycle;
    private @Nullable OutboxBacklog backlog;
    private long readAt;

    OutboxMetrics(ApplicationOutbox outbox, OutboxLifecycle lifecycle) {
        this.outbox = outbox;
        this.lifecycle = lifecycle;
    }

    void bindTo(MeterRegistry registry) {
        gauge(registry, "tandem.outbox.waiting", "Rows of the outbox, 10,000 at most", OutboxBacklog::rows);
        gauge(registry, "tandem.outbox.set.aside", "Rows that can never be published", OutboxBacklog::refused);
        Gauge.builder("tandem.outbox.oldest", this, each -> each.value(OutboxMetrics::seconds))
                .description("For how long the oldest row has waited")
                .baseUnit("seconds")
                .strongReference(true)
                .register(registry);
        counter(registry, "tandem.outbox.published", "Tasks that were published", RelayStatus::published);
        counter(registry, "tandem.outbox.failures", "Attempts to publish that failed", RelayStatus::failures);
    }

    private void gauge(MeterRegistry registry, String name, String about, ToDoubleFunction<OutboxBacklog> value) {
        Gauge.builder(name, this, each -> each.value(value))
                .description(about)
                .baseUnit("rows")
                .strongReference(true) // nobody else keeps this object
                .register(registry);
    }

    private void counter(MeterRegistry registry, String name, String about, ToDoubleFunction<RelayStatus> value) {
        FunctionCounter.builder(name, lifecycle, each -> {
                    RelayStatus status = each.status();
                    return status == null ? 0 : value.applyAsDouble(status);
                })
                .description(about)
                .register(registry);
    }

    private static double seconds(OutboxBacklog backlog) {
        Duration oldest = backlog.oldest();
        return oldest == null ? 0 : oldest.toMillis() / 1_000.0;
    }

    private synchronized double value(ToDoubleFunction<OutboxBacklog> value) {
        OutboxBacklog known = backlog;
        long now = System.nanoTime();
        if (known == null || now - readAt > FRESH_NANOS) {
            try {
                known = outbox.backlog();
            } catch (SQLException e) {
                return Double.NaN; // the health says why
            }
            backlog = known;
            readAt = now;
        }
        return value.applyAsDouble(known);
    }
}
