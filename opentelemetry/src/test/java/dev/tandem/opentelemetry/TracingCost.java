package dev.tandem.opentelemetry;

import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Measures what tracing costs the thread that submits a task, and the one that runs it. No test: has a main method. Spans are
 * collected in batches, and nothing is sent. Prints processor time for each call, without and with spans.
 */
final class TracingCost {

    private static final int CALLS = 200_000;
    private static final int ROUNDS = 9;
    private static final Handler NO_OP = task -> Result.done();

    private TracingCost() {}

    @FunctionalInterface
    private interface Call {
        void run() throws Exception;
    }

    private static final class Nowhere implements SpanExporter {
        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    public static void main(String... args) throws Exception {
        for (int round = 1; round <= ROUNDS; round++) {
            for (Sampler sampler : new Sampler[] {Sampler.alwaysOff(), Sampler.alwaysOn()}) {
                try (SdkTracerProvider provider = SdkTracerProvider.builder()
                        .setSampler(sampler)
                        .addSpanProcessor(
                                BatchSpanProcessor.builder(new Nowhere()).build())
                        .build()) {
                    measure(
                            round,
                            sampler.getDescription(),
                            OpenTelemetryTracing.of(OpenTelemetrySdk.builder()
                                    .setTracerProvider(provider)
                                    .build()));
                }
            }
        }
    }

    private static void measure(int round, String name, OpenTelemetryTracing tracing) throws Exception {
        TaskRequest<?> request = TaskRequest.of("orders", "ship", "x").withKey("c-7");
        CompletableFuture<TaskRef<Void>> accepted =
                CompletableFuture.completedFuture(new FakeRef(new CompletableFuture<>()));
        AtomicReference<Map<String, String>> sent = new AtomicReference<>(TaskOptions.NONE.headers());
        Call submit = () -> tracing.around(request, task -> {
            sent.set(task.options().headers());
            return new FakeRef(accepted);
        });
        double submitted = micros(submit);
        FakeTask task = FakeTask.with(sent.get());
        double ran = micros(() -> tracing.around(task, NO_OP));
        System.out.println(
                String.format(Locale.ROOT, "round %d, %s: submit %.2f us, run %.2f us", round, name, submitted, ran));
    }

    private static double micros(Call call) throws Exception {
        long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        for (int i = 0; i < CALLS; i++) {
            call.run();
        }
        return (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before) / 1_000.0 / CALLS;
    }
}
