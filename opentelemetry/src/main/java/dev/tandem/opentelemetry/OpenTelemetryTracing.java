package dev.tandem.opentelemetry;

import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.api.TaskTracing;
import dev.tandem.api.TracingMode;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;

/**
 * Traces submissions and runs by OpenTelemetry. The context travels in the headers of the task, so it survives delays,
 * retries and the death of an executor. Immutable and thread-safe.
 *
 * <pre>{@code
 * Tandem.connect().tracing(OpenTelemetryTracing.of(openTelemetry)).queue("orders")...
 * TandemClient.builder().interceptor(OpenTelemetryTracing.of(openTelemetry))...
 * }</pre>
 */
public final class OpenTelemetryTracing implements TaskTracing {

    /** The name of the instrumentation scope. */
    static final String SCOPE = "dev.tandem";

    private final Tracer tracer;
    private final HeaderContext headers;
    private final TracingMode mode;
    private final boolean keys;
    private final boolean logContext;
    private final SubmitSpans submissions;
    private final RunSpans runs;

    private OpenTelemetryTracing(
            Tracer tracer, HeaderContext headers, TracingMode mode, boolean keys, boolean logContext) {
        this.tracer = tracer;
        this.headers = headers;
        this.mode = mode;
        this.keys = keys;
        this.logContext = logContext;
        this.submissions = new SubmitSpans(tracer, headers);
        this.runs = new RunSpans(tracer, headers, mode == TracingMode.CHILD, keys, logContext);
    }

    /**
     * Returns a tracing with the default mode {@link TracingMode#LINK}, with keys and the log context.
     *
     * @param openTelemetry its propagators say in which headers the context travels. If it has none, these are {@code
     *     traceparent}, {@code tracestate} and {@code baggage}
     */
    public static OpenTelemetryTracing of(OpenTelemetry openTelemetry) {
        return new OpenTelemetryTracing(
                openTelemetry.getTracer(SCOPE),
                new HeaderContext(openTelemetry.getPropagators().getTextMapPropagator()),
                TracingMode.LINK,
                true,
                true);
    }

    @Override
    public OpenTelemetryTracing withMode(TracingMode value) {
        return new OpenTelemetryTracing(tracer, headers, value, keys, logContext);
    }

    @Override
    public OpenTelemetryTracing withKeys(boolean value) {
        return new OpenTelemetryTracing(tracer, headers, mode, value, logContext);
    }

    @Override
    public OpenTelemetryTracing withLogContext(boolean value) {
        return new OpenTelemetryTracing(tracer, headers, mode, keys, value);
    }

    /** @throws SubmitException as the client does */
    @Override
    public TaskRef<?> around(TaskRequest<?> task, Next next) {
        return mode == TracingMode.OFF ? next.submit(task) : submissions.around(task, next);
    }

    @Override
    public Result around(TaskContext task, Handler next) throws Exception {
        return mode == TracingMode.OFF ? next.handle(task) : runs.around(task, next);
    }
}
