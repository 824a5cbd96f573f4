package dev.tandem.server.runtime;

import dev.tandem.server.archive.Archive;
import dev.tandem.server.archive.Archive.Status;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/** Metrics of the archive of ended tasks, as this server feeds it. None without an archive. */
final class ArchiveMetrics implements MeterBinder {

    private final Archive archive;

    ArchiveMetrics(Archive archive) {
        this.archive = archive;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        if (!archive.enabled()) {
            return;
        }
        counter(registry, "stored", "Outcomes that this server has stored in the archive", Status::stored);
        counter(registry, "repeated", "Events that came again and were in the archive already", Status::repeated);
        counter(registry, "refused", "Events that the archive cannot store", Status::refused);
        counter(registry, "lost", "Events that a broker removed before the archive had read them", Status::lost);
        gauge(registry, "waiting", "Events that wait in the brokers for the archive", Status::waiting);
        gauge(registry, "lag.seconds", "Age of the oldest event that is read and not stored", Status::lagSeconds);
        gauge(registry, "failing", "1 while events cannot be stored", its -> its.problem() == null ? 0 : 1);
    }

    private void counter(MeterRegistry registry, String name, String description, ToDoubleFunction<Status> value) {
        FunctionCounter.builder("tandem.archive." + name, archive, its -> value.applyAsDouble(its.status()))
                .description(description)
                .register(registry);
    }

    private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<Status> value) {
        Gauge.builder("tandem.archive." + name, archive, its -> value.applyAsDouble(its.status()))
                .description(description)
                .register(registry);
    }
}
