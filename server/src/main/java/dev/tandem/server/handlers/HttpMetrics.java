package dev.tandem.server.handlers;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** Counts and times the calls of one queue. */
final class HttpMetrics {

    private final MeterRegistry registry;
    private final String queue;

    HttpMetrics(MeterRegistry registry, String queue) {
        this.registry = registry;
        this.queue = queue;
    }

    Call begin() {
        return new Call(Timer.start(registry));
    }

    /** A call that has begun. */
    final class Call {

        private final Timer.Sample sample;

        private Call(Timer.Sample sample) {
            this.sample = sample;
        }

        /** @param outcome one of a few: 2xx to 5xx, or why there is no status */
        void end(String outcome) {
            sample.stop(Timer.builder("tandem.http.calls")
                    .description("Calls of the hosted handler http, and how long they took")
                    .tag("queue", queue)
                    .tag("outcome", outcome)
                    .register(registry));
        }
    }
}
