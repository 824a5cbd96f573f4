package dev.tandem.executor;

import dev.tandem.api.Handler;
import dev.tandem.api.Interceptor;
import dev.tandem.task.Task;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The handlers of one queue by task type, each wrapped in the queue's interceptors. Immutable. */
final class HandlerRegistry {

    private final Map<String, Handler> byType;
    /** The handlers among them that run batches, without their interceptors. */
    private final Map<String, BatchedHandler> batches;

    private final @Nullable BatchedHandler fallbackBatch;
    private final List<Interceptor> interceptors;
    private final @Nullable Handler fallback;
    private final @Nullable String defaultType;
    private final UnknownTypeGrace grace;

    /**
     * Wraps the handlers.
     *
     * @param fallback runs the types that have no handler of their own; null if there is none
     * @param defaultType the type of tasks that name none; null if there is none
     * @param grace says what becomes of tasks that have no handler here
     */
    HandlerRegistry(
            Map<String, Handler> byType,
            @Nullable Handler fallback,
            @Nullable String defaultType,
            List<Interceptor> interceptors,
            UnknownTypeGrace grace) {
        Map<String, Handler> wrapped = new LinkedHashMap<>();
        Map<String, BatchedHandler> batched = new LinkedHashMap<>();
        byType.forEach((type, handler) -> {
            wrapped.put(type, wrap(handler, interceptors));
            if (handler instanceof BatchedHandler batch) {
                batched.put(type, batch);
            }
        });
        this.byType = Map.copyOf(wrapped);
        this.batches = Map.copyOf(batched);
        this.fallbackBatch = fallback instanceof BatchedHandler batch ? batch : null;
        this.interceptors = List.copyOf(interceptors);
        this.fallback = fallback == null ? null : wrap(fallback, interceptors);
        this.defaultType = defaultType;
        this.grace = grace;
    }

    UnknownTypeGrace grace() {
        return grace;
    }

    /** Returns the type that a task runs as; null if neither the task nor the queue names one. */
    @Nullable
    String typeOf(@Nullable String named) {
        return named != null ? named : defaultType;
    }

    /** Returns the handler for a type; null if there is none. */
    @Nullable
    Handler find(@Nullable String type) {
        Handler own = type == null ? null : byType.get(type);
        return own != null ? own : fallback;
    }

    /** Returns whether a handler of the queue runs batches. */
    boolean hasBatches() {
        return fallbackBatch != null || !batches.isEmpty();
    }

    /** Returns the batch handler that runs a task; null if it has another one or none, or its message is unreadable. */
    @Nullable
    BatchedHandler batchOf(Task task) {
        String type = typeOf(task.type());
        if (task.unreadable() != null) {
            return null;
        }
        return type != null && byType.containsKey(type) ? batches.get(type) : fallbackBatch;
    }

    List<Interceptor> interceptors() {
        return interceptors;
    }

    /** Explains why {@link #find} found no handler, and what to do about it. */
    String describeMissing(String queue, @Nullable String type) {
        String known = byType.isEmpty() ? "none" : String.join(", ", new TreeSet<>(byType.keySet()));
        if (type == null) {
            return "The task names no type, and queue '" + queue + "' has no default handler. Known types: " + known
                    + ". Send the header tandem-type or set the queue's handler, then retry the task";
        }
        return "Queue '" + queue + "' has no handler for type '" + type + "'. Known types: " + known
                + ". Add a handler, then retry the task";
    }

    /** Returns a handler inside of interceptors, the first of which is the outermost. */
    static Handler wrap(Handler handler, List<Interceptor> interceptors) {
        Handler wrapped = handler;
        for (int i = interceptors.size() - 1; i >= 0; i--) {
            Interceptor interceptor = interceptors.get(i);
            Handler next = wrapped;
            wrapped = task -> interceptor.around(task, next);
        }
        return wrapped;
    }
}
