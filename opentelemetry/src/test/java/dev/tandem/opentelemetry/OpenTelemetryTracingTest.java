package dev.tandem.opentelemetry;

import static io.opentelemetry.api.common.AttributeKey.doubleKey;
import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.Handler;
import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.Result;
import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.api.TracingMode;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class OpenTelemetryTracingTest {

    private static final Handler SUCCESS = task -> Result.done();

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final SdkTracerProvider provider = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build();
    private final OpenTelemetry openTelemetry =
            OpenTelemetrySdk.builder().setTracerProvider(provider).build();
    private final OpenTelemetryTracing tracing = OpenTelemetryTracing.of(openTelemetry);
    private final CompletableFuture<TaskRef<Void>> accepted = new CompletableFuture<>();
    private final AtomicReference<TaskRequest<?>> sent = new AtomicReference<>();

    @AfterEach
    void close() {
        provider.close();
    }

    private Map<String, String> submit(TaskOptions... options) {
        tracing.around(TaskRequest.of("orders", "ship", "x").withKey("c-7").with(options), task -> {
            sent.set(task);
            return new FakeRef(accepted);
        });
        return sent.get().options().headers();
    }

    private Map<String, String> submitInTrace() {
        Span user = openTelemetry.getTracer("user").spanBuilder("checkout").startSpan();
        Baggage baggage = Baggage.builder().put("tenant", "t-1").build();
        try (Scope unused = user.makeCurrent();
                Scope alsoUnused = baggage.makeCurrent()) {
            return submit();
        } finally {
            accepted.complete(null);
            user.end();
        }
    }

    private SpanData span(String name) {
        return exporter.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is none of " + exporter.getFinishedSpanItems()));
    }

    @Test
    void aSubmissionIsASpanUntilTheBrokerHasTheTask() {
        Map<String, String> headers = submit(TaskOptions.delay("5m"), TaskOptions.header("x-tenant", "t-1"));

        assertThat(exporter.getFinishedSpanItems())
                .as("before the acknowledgement")
                .isEmpty();
        accepted.complete(null);
        SpanData span = span("publish orders");
        assertThat(span.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(span.getAttributes().asMap())
                .containsEntry(stringKey("messaging.system"), "tandem")
                .containsEntry(stringKey("messaging.operation.name"), "publish")
                .containsEntry(stringKey("messaging.operation.type"), "send")
                .containsEntry(stringKey("messaging.destination.name"), "orders")
                .containsEntry(stringKey("messaging.message.id"), "id-7")
                .containsEntry(stringKey("tandem.task.type"), "ship");
        assertThat(headers).containsEntry("x-tenant", "t-1");
        assertThat(headers.get("traceparent")).startsWith("00-" + span.getTraceId() + "-" + span.getSpanId() + "-");
        assertThat(sent.get().options().delay()).hasMinutes(5);
        assertThat(sent.get().key()).isEqualTo("c-7");
    }

    @Test
    void aSubmissionBelongsToTheTraceOfItsThreadAndCarriesTheBaggage() {
        Map<String, String> headers = submitInTrace();

        assertThat(span("publish orders").getParentSpanId())
                .isEqualTo(span("checkout").getSpanId());
        assertThat(headers).containsEntry("baggage", "tenant=t-1");
    }

    @Test
    void aTaskThatIsPassedOnStaysInItsTrace() {
        String trace = "0af7651916cd43dd8448eb211c80319c";
        Map<String, String> headers = submit(
                TaskOptions.header("traceparent", "00-" + trace + "-b7ad6b7169203331-01"),
                TaskOptions.header("tracestate", "vendor=1"));
        accepted.complete(null);

        assertThat(span("publish orders").getTraceId()).isEqualTo(trace);
        assertThat(headers.get("traceparent")).contains(span("publish orders").getSpanId());
        assertThat(headers).containsEntry("tracestate", "vendor=1");
    }

    @Test
    void aTaskThatIsSubmittedAgainInAHandlerBelongsToTheRun() {
        Span run = openTelemetry.getTracer("user").spanBuilder("run").startSpan();
        Map<String, String> headers;
        try (Scope unused = run.makeCurrent()) {
            headers = submit(
                    TaskOptions.header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
                    TaskOptions.header("tracestate", "vendor=1"));
        }
        accepted.complete(null);

        assertThat(span("publish orders").getParentSpanId())
                .isEqualTo(run.getSpanContext().getSpanId());
        assertThat(headers).doesNotContainKey("tracestate");
    }

    @Test
    void aSubmissionThatFailsIsAnError() {
        submit();
        accepted.completeExceptionally(new SubmitException("the broker is away"));

        SpanData span = span("publish orders");
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(span.getAttributes().get(stringKey("error.type"))).isEqualTo(SubmitException.class.getName());
        assertThat(span.getEvents())
                .singleElement()
                .satisfies(event -> assertThat(event.getName()).isEqualTo("exception"));
    }

    @Test
    void aTaskThatIsRefusedIsAnErrorToo() {
        assertThatThrownBy(() -> tracing.around(TaskRequest.of("orders", "ship", "x"), task -> {
                    throw new InvalidTaskException("no");
                }))
                .isInstanceOf(InvalidTaskException.class);

        assertThat(span("publish orders").getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    }

    @Test
    void aRunBeginsATraceWithALinkToItsSubmission() throws Exception {
        Map<String, String> headers = submitInTrace();
        Map<String, String> seen = new HashMap<>();
        tracing.around(FakeTask.with(headers), task -> {
            seen.put("tenant", Baggage.current().getEntryValue("tenant"));
            seen.put("trace", Span.current().getSpanContext().getTraceId());
            seen.put("mdc", MDC.get("trace_id"));
            return Result.done();
        });

        SpanData run = span("process orders");
        SpanData submission = span("publish orders");
        assertThat(run.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(run.getTraceId()).isNotEqualTo(submission.getTraceId());
        assertThat(run.getParentSpanContext().isValid()).isFalse();
        assertThat(run.getLinks())
                .extracting(LinkData::getSpanContext)
                .extracting(context -> context.getSpanId())
                .containsExactly(submission.getSpanId());
        assertThat(seen)
                .containsEntry("tenant", "t-1")
                .containsEntry("trace", run.getTraceId())
                .containsEntry("mdc", run.getTraceId());
        assertThat(MDC.get("trace_id")).isNull();
        assertThat(run.getAttributes().asMap())
                .containsEntry(stringKey("messaging.system"), "tandem")
                .containsEntry(stringKey("messaging.operation.name"), "process")
                .containsEntry(stringKey("messaging.operation.type"), "process")
                .containsEntry(stringKey("messaging.destination.name"), "orders")
                .containsEntry(stringKey("messaging.message.id"), "id-7")
                .containsEntry(longKey("messaging.message.body.size"), 3L)
                .containsEntry(stringKey("tandem.task.type"), "ship")
                .containsEntry(stringKey("tandem.task.key"), "c-7")
                .containsEntry(longKey("tandem.task.attempt"), 1L)
                .containsEntry(longKey("tandem.task.max_attempts"), 3L)
                .containsEntry(doubleKey("tandem.task.wait"), 1.5)
                .containsEntry(stringKey("tandem.task.outcome"), "succeeded");
        assertThat(exporter.getFinishedSpanItems())
                .extracting(SpanData::getName)
                .doesNotContain("wait orders");
    }

    @Test
    void asAChildARunAndItsWaitBelongToTheTraceOfTheSubmission() throws Exception {
        Map<String, String> headers = submitInTrace();
        tracing.withMode(TracingMode.CHILD).around(FakeTask.with(headers), SUCCESS);

        SpanData submission = span("publish orders");
        SpanData wait = span("wait orders");
        assertThat(List.of(span("process orders"), wait)).allSatisfy(span -> {
            assertThat(span.getTraceId()).isEqualTo(submission.getTraceId());
            assertThat(span.getParentSpanId()).isEqualTo(submission.getSpanId());
        });
        assertThat(wait.getEndEpochNanos() - wait.getStartEpochNanos()).isEqualTo(1_500_000_000L);
        assertThat(span("process orders").getLinks()).isEmpty();
    }

    @Test
    void aTaskOfAnUntracedPublisherHasATraceOfItsOwn() throws Exception {
        for (TracingMode mode : List.of(TracingMode.LINK, TracingMode.CHILD)) {
            exporter.reset();
            tracing.withMode(mode).around(FakeTask.with(Map.of("traceparent", "nonsense")), SUCCESS);

            assertThat(exporter.getFinishedSpanItems()).singleElement().satisfies(span -> {
                assertThat(span.getParentSpanContext().isValid()).isFalse();
                assertThat(span.getLinks()).isEmpty();
            });
        }
    }

    private SpanData failed(FakeTask task, Handler handler) {
        exporter.reset();
        try {
            tracing.around(task, handler);
        } catch (Exception expected) {
            assertThat(span("process orders").getEvents()).hasSize(1);
        }
        SpanData span = span("process orders");
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        return span;
    }

    private static String outcome(SpanData span) {
        return span.getAttributes().get(stringKey("tandem.task.outcome")) + " "
                + span.getAttributes().get(stringKey("error.type"));
    }

    @Test
    void aFailedRunIsAnErrorAndSaysWhatFollows() {
        FakeTask task = FakeTask.with(Map.of());
        Handler failing = any -> {
            throw new IOException("away");
        };

        assertThat(outcome(failed(task, failing))).isEqualTo("retried java.io.IOException");
        assertThat(outcome(failed(task.at(3), failing))).isEqualTo("dead java.io.IOException");
        assertThat(outcome(failed(task, any -> Result.dead("no")))).isEqualTo("dead dead");
        assertThat(outcome(failed(task.cancelled(), failing))).isEqualTo("interrupted java.io.IOException");
        assertThat(failed(task.at(2), failing).getAttributes().asMap())
                .containsEntry(longKey("tandem.task.attempt"), 2L)
                .doesNotContainKey(doubleKey("tandem.task.wait"));
    }

    @Test
    void aTaskThatRunsAgainIsNoErrorEvenAtItsLastAttempt() throws Exception {
        tracing.around(FakeTask.with(Map.of()).at(3), task -> Result.snooze(Duration.ofSeconds(1)));

        SpanData span = span("process orders");
        assertThat(outcome(span)).isEqualTo("snoozed null");
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    }

    @Test
    void keysAndTheLogContextAreLeftOutOnDemand() throws Exception {
        Map<String, String> seen = new HashMap<>();
        tracing.withKeys(false).withLogContext(false).around(FakeTask.with(Map.of()), task -> {
            seen.put("mdc", MDC.get("trace_id"));
            return Result.done();
        });

        assertThat(seen).containsEntry("mdc", null);
        assertThat(span("process orders").getAttributes().asMap()).doesNotContainKey(stringKey("tandem.task.key"));
    }

    @Test
    void switchedOffItDoesNothing() throws Exception {
        OpenTelemetryTracing off = tracing.withMode(TracingMode.OFF);
        TaskRequest<?> task = TaskRequest.of("orders", "ship", "x");
        off.around(task, same -> {
            sent.set(same);
            return new FakeRef(accepted);
        });
        off.around(FakeTask.with(Map.of()), SUCCESS);

        assertThat(sent.get()).isSameAs(task);
        assertThat(exporter.getFinishedSpanItems()).isEmpty();
    }

    @Test
    void withoutAnSdkTheTraceOfAPublisherIsPassedOn() throws Exception {
        OpenTelemetryTracing noop = OpenTelemetryTracing.of(OpenTelemetry.noop());
        TaskRequest<?> task = TaskRequest.of("orders", "ship", "x")
                .with(TaskOptions.header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
        noop.around(task, each -> {
            sent.set(each);
            return new FakeRef(accepted);
        });

        assertThat(sent.get().options().headers()).isEqualTo(task.options().headers());
        assertThat(noop.around(FakeTask.with(Map.of()), SUCCESS)).isEqualTo(Result.done());
    }
}
