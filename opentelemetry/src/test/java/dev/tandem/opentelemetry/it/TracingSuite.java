package dev.tandem.opentelemetry.it;

import static dev.tandem.api.TaskOptions.delay;
import static dev.tandem.testkit.Brokers.PATIENCE;
import static io.opentelemetry.api.common.AttributeKey.doubleKey;
import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.HandlerOptions;
import dev.tandem.api.RetryPolicy;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.opentelemetry.OpenTelemetryTracing;
import dev.tandem.runtime.QueueBuilder;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.queues.TaskMetrics;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Traces from the submission to the run, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class TracingSuite {

    private final String queue = UniqueNames.fresh("traced");
    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final SdkTracerProvider provider = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build();
    private final OpenTelemetry openTelemetry =
            OpenTelemetrySdk.builder().setTracerProvider(provider).build();
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final List<String> tenants = new CopyOnWriteArrayList<>();

    @TempDir
    private Path folder;

    /** Returns the line of the settings that says where the broker is. */
    abstract String broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    @AfterEach
    void close() {
        provider.close();
    }

    private Path settings() throws IOException {
        return Files.writeString(folder.resolve("tandem.yml"), """
                %s
                tandem.redis.uri: "%s"
                tandem.queues.%s: { source: %s, ordering: key, partitions: 1 }
                """.formatted(
                        broker(), Brokers.redis().uri(), queue, source()));
    }

    private QueueBuilder program(String mode, boolean runs) throws IOException {
        return Tandem.connect(settings())
                .setting("tandem.tracing.mode", mode)
                .setting("tandem.executor.enabled", Boolean.toString(runs))
                .metrics(TaskMetrics.of(meters))
                .tracing(OpenTelemetryTracing.of(openTelemetry))
                .queue(queue)
                .handler(
                        "ship",
                        String.class,
                        this::ship,
                        HandlerOptions.NONE.withBackoff(RetryPolicy.fixed(Duration.ofMillis(50))));
    }

    private Tandem start(String mode) throws IOException {
        Tandem tandem = program(mode, true).start();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
        return tandem;
    }

    private void ship(String order, TaskContext task) {
        tenants.add(String.valueOf(Baggage.current().getEntryValue("tenant")));
        if (order.equals("flaky") && task.attempt() < 3) {
            throw new IllegalStateException("the carrier is away");
        }
    }

    private void submit(TaskClient client, String order, TaskOptions... options) throws InterruptedException {
        Baggage baggage = Baggage.builder().put("tenant", "t-1").build();
        try (Scope unused = baggage.makeCurrent()) {
            client.submit(TaskRequest.of(queue, "ship", order).withKey("c-7").with(options))
                    .await(PATIENCE);
        }
    }

    private List<SpanData> spans(String operation) {
        return exporter.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(operation + " " + queue))
                .toList();
    }

    private List<SpanData> awaitRuns(int count) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(spans("process")).hasSize(count));
        return spans("process");
    }

    private SpanData submission() {
        await().atMost(PATIENCE).until(() -> spans("publish").size() == 1);
        return spans("publish").get(0);
    }

    private static void assertLinked(SpanData run, SpanData submission) {
        assertThat(run.getTraceId()).isNotEqualTo(submission.getTraceId());
        assertThat(run.getLinks())
                .extracting(LinkData::getSpanContext)
                .extracting(context -> context.getSpanId())
                .containsExactly(submission.getSpanId());
    }

    @Test
    void everyAttemptAfterADelayAndRetriesLinksToTheSubmission() throws Exception {
        try (Tandem tandem = start("link")) {
            // Longer than the first request to a broker takes on a busy machine: an earliest start before the
            // publication is none.
            submit(tandem.client(), "flaky", delay("3s"));
            List<SpanData> runs = awaitRuns(3);

            SpanData submission = submission();
            assertThat(runs).allSatisfy(run -> assertLinked(run, submission));
            assertThat(runs).extracting(SpanData::getTraceId).doesNotHaveDuplicates();
            assertThat(runs)
                    .extracting(run -> run.getAttributes().get(longKey("tandem.task.attempt")) + " "
                            + run.getAttributes().get(stringKey("tandem.task.outcome")))
                    .containsExactly("1 retried", "2 retried", "3 succeeded");
            assertThat(runs.get(0).getAttributes().get(doubleKey("tandem.task.wait")))
                    .as("lateness")
                    .isNotNull();
            assertThat(tenants).containsExactly("t-1", "t-1", "t-1");
        }
        assertThat(meters.get("tandem.task.lateness")
                        .tags("queue", queue, "type", "ship")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(meters.find("tandem.task.wait").timer()).isNull();
        assertThat(meters.get("tandem.task.attempts")
                        .tags("queue", queue, "type", "ship", "outcome", "succeeded")
                        .summary()
                        .max())
                .isEqualTo(3);
    }

    @Test
    void asChildrenAllSpansAreOneTrace() throws Exception {
        try (Tandem tandem = start("child")) {
            Span checkout =
                    openTelemetry.getTracer("user").spanBuilder("checkout").startSpan();
            try (Scope unused = checkout.makeCurrent()) {
                submit(tandem.client(), "o-1");
            } finally {
                checkout.end();
            }
            SpanData run = awaitRuns(1).get(0);

            SpanData submission = submission();
            assertThat(submission.getParentSpanId())
                    .isEqualTo(checkout.getSpanContext().getSpanId());
            assertThat(run.getParentSpanId()).isEqualTo(submission.getSpanId());
            assertThat(spans("wait"))
                    .singleElement()
                    .satisfies(wait -> assertThat(wait.getParentSpanId()).isEqualTo(submission.getSpanId()));
            assertThat(exporter.getFinishedSpanItems())
                    .extracting(SpanData::getTraceId)
                    .containsOnly(checkout.getSpanContext().getTraceId());
        }
        assertThat(meters.get("tandem.task.wait")
                        .tags("queue", queue, "type", "ship")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void theContextSurvivesTheDeathOfAnExecutor() throws Exception {
        // Creates what the queue needs at the broker.
        start("link").close();
        try (Tandem submitter = program("link", false).start()) {
            submit(submitter.client(), "o-1");
        }
        Path journal = folder.resolve("journal");
        LocalProcess process = LocalProcess.java(
                        "killed",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        KilledProgram.class.getName(),
                        List.of(settings().toString(), queue, journal.toString()))
                .log(folder.resolve("process.log"))
                .disposable()
                .build()
                .start();
        try (process) {
            // The second attempt comes from Redis, which has had the task since the first one failed.
            await("the second attempt").atMost(PATIENCE).until(() -> {
                if (!process.isRunning()) {
                    throw new IllegalStateException("The process ended. " + process.logTail());
                }
                return Files.exists(journal) && Files.readAllLines(journal).contains("begun 2");
            });
            process.kill();
        }
        try (Tandem tandem = start("link")) {
            SpanData run = awaitRuns(1).get(0);

            assertLinked(run, submission());
            assertThat(run.getAttributes().get(longKey("tandem.task.attempt"))).isEqualTo(3);
            assertThat(tenants).containsExactly("t-1");
        }
    }
}
