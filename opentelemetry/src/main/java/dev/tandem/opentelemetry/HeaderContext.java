package dev.tandem.opentelemetry;

import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Carries a context in the headers of a task, and so through broker and Redis. Thread-safe. */
final class HeaderContext {

    private static final String TRACE_STATE = "tracestate";

    private static final TextMapGetter<Map<String, String>> GETTER = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(Map<String, String> headers) {
            return headers.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> headers, String name) {
            return headers == null ? null : headers.get(name);
        }
    };

    private final TextMapPropagator propagator;

    /** @param configured what the program has set; one without fields carries nothing, so W3C's formats take its place */
    HeaderContext(TextMapPropagator configured) {
        this.propagator = configured.fields().isEmpty()
                ? TextMapPropagator.composite(
                        W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance())
                : configured;
    }

    /** Returns the context in which a task was submitted. */
    Context of(Map<String, String> headers) {
        return headers.isEmpty() ? Context.root() : propagator.extract(Context.root(), headers, GETTER);
    }

    /**
     * Returns the context in which a task is being submitted: that of this thread, or else the one that its headers have
     * already, such as those of a task that is passed on.
     */
    Context current(Map<String, String> headers) {
        Context here = Context.current();
        return headers.isEmpty() || Span.fromContext(here).getSpanContext().isValid()
                ? here
                : propagator.extract(here, headers, GETTER);
    }

    /** Returns the headers with a context in the place of the one that they have. */
    Map<String, String> with(Map<String, String> headers, Context context) {
        Map<String, String> carrier = new LinkedHashMap<>();
        propagator.inject(context, carrier, (into, name, value) -> {
            if (into != null) {
                into.put(name, value);
            }
        });
        if (carrier.isEmpty()) {
            return headers;
        }
        Map<String, String> all = new LinkedHashMap<>(headers);
        // It belongs to the span that is replaced, and a span without one does not overwrite it.
        all.remove(TRACE_STATE);
        all.putAll(carrier);
        return all;
    }
}
