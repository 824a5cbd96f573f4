package dev.tandem.server.runtime;

import dev.tandem.executor.LimitStatus;
import dev.tandem.executor.RateStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/** Metrics of the limits of this process's queues, read at each scrape. */
public final class LimitMetrics implements MeterBinder {

    private final Platform platform;

    public LimitMetrics(Platform platform) {
        this.platform = platform;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        platform.rates().forEach(rate -> bindRate(registry, rate.name()));
        for (LimitStatus limit : platform.limits()) {
            String name = limit.name();
            gauge(registry, name, "tandem.limit.max", "Tasks that may run at once in all executors", LimitStatus::max);
            gauge(registry, name, "tandem.limit.held", "Permits that this process holds", LimitStatus::held);
            gauge(registry, name, "tandem.limit.running", "Tasks that run here with a permit", LimitStatus::used);
            gauge(registry, name, "tandem.limit.waiting", "Tasks that wait here for a permit", LimitStatus::waiting);
        }
    }

    private void bindRate(MeterRegistry registry, String limit) {
        Gauge.builder("tandem.rate.waiting", platform, it -> of(it, limit, RateStatus::waiting))
                .description("Tasks that wait here for a token of a rate limit")
                .tag("limit", limit)
                .register(registry);
        FunctionCounter.builder("tandem.rate.limited", platform, it -> of(it, limit, RateStatus::limited))
                .description("Tasks that asked here for a token of a rate limit and had to wait")
                .tag("limit", limit)
                .register(registry);
    }

    private static double of(Platform platform, String limit, ToDoubleFunction<RateStatus> value) {
        return platform.rates().stream()
                .filter(status -> status.name().equals(limit))
                .mapToDouble(value)
                .findFirst()
                .orElse(Double.NaN);
    }

    private void gauge(
            MeterRegistry registry,
            String limit,
            String name,
            String description,
            ToDoubleFunction<LimitStatus> value) {
        Gauge.builder(name, platform, it -> valueOf(it, limit, value))
                .description(description)
                .tag("limit", limit)
                .register(registry);
    }

    private static double valueOf(Platform platform, String limit, ToDoubleFunction<LimitStatus> value) {
        return platform.limits().stream()
                .filter(status -> status.name().equals(limit))
                .mapToDouble(value)
                .findFirst()
                .orElse(Double.NaN);
    }
}
