package dev.tandem.opentelemetry;

import dev.tandem.api.Handler;
import dev.tandem.api.Interceptor;
import dev.tandem.api.Result;
import dev.tandem.api.RunOutcome;
import dev.tandem.api.TaskContext;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.MDC;

/** Makes a span of each attempt. Thread-safe. */
final class RunSpans implements Interceptor {

    /** The names that OpenTelemetry's own support for logging uses. */
    static final String TRACE_ID = "trace_id";

    static final String SPAN_ID = "span_id";

    private static final int MAX_KEY = 64;
    private static final double MILLIS_PER_SECOND = 1_000;

    private final Tracer tracer;
    private final HeaderContext headers;
    private final boolean child;
    private final boolean keys;
    private final boolean logContext;

    /** @param child whether a run belongs to the trace of the submission; otherwise it links to it */
    RunSpans(Tracer tracer, HeaderContext headers, boolean child, boolean keys, boolean logContext) {
        this.tracer = tracer;
        this.headers = headers;
        this.child = child;
        this.keys = keys;
        this.logContext = logContext;
    }

    @Override
    public Result around(TaskContext task, Handler next) throws Exception {
        Context submitted = headers.of(task.headers());
        Span span = start(task, submitted);
        SpanContext ids = span.getSpanContext();
        boolean logged = logContext && ids.isValid();
        // The baggage of the submission comes with it.
        try (Scope unused = submitted.with(span).makeCurrent()) {
            if (logged) {
                MDC.put(TRACE_ID, ids.getTraceId());
                MDC.put(SPAN_ID, ids.getSpanId());
            }
            Result result = next.handle(task);
            RunOutcome outcome = RunOutcome.of(task, result);
            ended(span, outcome, name(outcome));
            return result;
        } catch (Throwable failure) {
            ended(span, RunOutcome.of(task, failure), failure.getClass().getName());
            span.recordException(failure);
            throw failure;
        } finally {
            if (logged) {
                MDC.remove(TRACE_ID);
                MDC.remove(SPAN_ID);
            }
            span.end();
        }
    }

    private Span start(TaskContext task, Context submitted) {
        Optional<Duration> waited = task.waited();
        SpanContext submission = Span.fromContext(submitted).getSpanContext();
        SpanBuilder builder = tracer.spanBuilder(TaskAttributes.PROCESS + " " + task.queue())
                .setSpanKind(SpanKind.CONSUMER)
                .setAttribute(TaskAttributes.SYSTEM, TaskAttributes.TANDEM)
                .setAttribute(TaskAttributes.OPERATION_NAME, TaskAttributes.PROCESS)
                .setAttribute(TaskAttributes.OPERATION_TYPE, TaskAttributes.PROCESS)
                .setAttribute(TaskAttributes.DESTINATION, task.queue())
                .setAttribute(TaskAttributes.MESSAGE_ID, task.id())
                .setAttribute(TaskAttributes.BODY_SIZE, (long) task.payload().length)
                .setAttribute(TaskAttributes.TYPE, task.type())
                .setAttribute(TaskAttributes.ATTEMPT, (long) task.attempt())
                .setAttribute(TaskAttributes.MAX_ATTEMPTS, (long) task.maxAttempts());
        if (child) {
            builder.setParent(submitted);
            if (submission.isValid()) {
                waited.ifPresent(wait -> addWait(task, submitted, wait));
            }
        } else {
            builder.setNoParent();
            if (submission.isValid()) {
                builder.addLink(submission);
            }
        }
        String key = keys ? task.key() : null;
        if (key != null) {
            builder.setAttribute(TaskAttributes.KEY, key.length() <= MAX_KEY ? key : key.substring(0, MAX_KEY));
        }
        waited.ifPresent(wait -> builder.setAttribute(TaskAttributes.WAIT, wait.toMillis() / MILLIS_PER_SECOND));
        return builder.startSpan();
    }

    /** Adds the wait for the first start, which has just ended. */
    private void addWait(TaskContext task, Context submitted, Duration wait) {
        Instant now = Instant.now();
        tracer.spanBuilder("wait " + task.queue())
                .setParent(submitted)
                .setAttribute(TaskAttributes.DESTINATION, task.queue())
                .setAttribute(TaskAttributes.TYPE, task.type())
                .setStartTimestamp(now.minus(wait))
                .startSpan()
                .end(now);
    }

    /** @param errorType names the error, if the outcome is one */
    private static void ended(Span span, RunOutcome outcome, String errorType) {
        span.setAttribute(TaskAttributes.OUTCOME, name(outcome));
        if (outcome != RunOutcome.SUCCEEDED && outcome != RunOutcome.SNOOZED) {
            span.setAttribute(TaskAttributes.ERROR_TYPE, errorType);
            span.setStatus(StatusCode.ERROR);
        }
    }

    private static String name(RunOutcome outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }
}
