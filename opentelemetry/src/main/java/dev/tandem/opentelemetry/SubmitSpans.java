package dev.tandem.opentelemetry;

import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import org.jspecify.annotations.Nullable;

/** Makes a span of each submission, which ends with the broker's acknowledgement. Thread-safe. */
final class SubmitSpans implements SubmitInterceptor {

    private final Tracer tracer;
    private final HeaderContext headers;

    SubmitSpans(Tracer tracer, HeaderContext headers) {
        this.tracer = tracer;
        this.headers = headers;
    }

    @Override
    public TaskRef<?> around(TaskRequest<?> task, Next next) {
        Context parent = headers.current(task.options().headers());
        Span span = start(task, parent);
        Context context = parent.with(span);
        TaskRef<?> ref;
        try (Scope unused = context.makeCurrent()) {
            ref = next.submit(traced(task, context));
        } catch (RuntimeException | Error e) {
            end(span, e);
            throw e;
        }
        if (span.isRecording()) {
            span.setAttribute(TaskAttributes.MESSAGE_ID, ref.id());
            ref.accepted().whenComplete((accepted, failure) -> end(span, failure));
        } else {
            span.end();
        }
        return ref;
    }

    private Span start(TaskRequest<?> task, Context parent) {
        Span span = tracer.spanBuilder(TaskAttributes.PUBLISH + " " + task.queue())
                .setParent(parent)
                .setSpanKind(SpanKind.PRODUCER)
                .setAttribute(TaskAttributes.SYSTEM, TaskAttributes.TANDEM)
                .setAttribute(TaskAttributes.OPERATION_NAME, TaskAttributes.PUBLISH)
                .setAttribute(TaskAttributes.OPERATION_TYPE, TaskAttributes.SEND)
                .setAttribute(TaskAttributes.DESTINATION, task.queue())
                .startSpan();
        if (task.type() != null) {
            span.setAttribute(TaskAttributes.TYPE, task.type());
        }
        return span;
    }

    private TaskRequest<?> traced(TaskRequest<?> task, Context context) {
        TaskOptions given = task.options();
        return new TaskRequest<>(
                task.queue(),
                task.type(),
                task.key(),
                task.payload(),
                new TaskOptions(
                        given.id(),
                        given.delay(),
                        given.notBefore(),
                        given.timeout(),
                        given.maxAttempts(),
                        given.dedupKey(),
                        headers.with(given.headers(), context)));
    }

    private static void end(Span span, @Nullable Throwable failure) {
        if (failure != null) {
            span.setStatus(StatusCode.ERROR);
            span.setAttribute(TaskAttributes.ERROR_TYPE, failure.getClass().getName());
            span.recordException(failure);
        }
        span.end();
    }
}
