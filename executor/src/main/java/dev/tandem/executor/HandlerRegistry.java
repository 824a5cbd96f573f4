package dev.tandem.executor;

import dev.tandem.api.Handler;
import dev.tandem.api.Interceptor;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.task.Task;
import dev.tandem.task.store.HandledTypes;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The handlers of one queue by task type, each wrapped in the queue's interceptors. Thread-safe. */
final class HandlerRegistry {

    /** The types without a handler for which a similar name is remembered. */
    private static final int MAX_REMEMBERED = 200;

    private final Map<String, Handler> byType;
    /** The handlers among them that run batches, without their interceptors. */
    private final Map<String, BatchedHandler> batches;

    private final @Nullable BatchedHandler fallbackBatch;
    private final List<Interceptor> interceptors;
    private final @Nullable Handler fallback;
    private final @Nullable String defaultType;
    private final UnhandledPolicy unhandledPolicy;
    /** The types of the handlers, for people. */
    private final String known;
    /** The questions whether another type was meant, by type. */
    private final Map<String, String> meant = new ConcurrentHashMap<>();

    /**
     * Wraps the handlers.
     *
     * @param fallback runs the types that have no handler of their own; null if there is none
     * @param defaultType the type of tasks that name none; null if there is none
     * @param unhandledPolicy says what becomes of tasks that have no handler here
     */
    HandlerRegistry(
            Map<String, Handler> byType,
            @Nullable Handler fallback,
            @Nullable String defaultType,
            List<Interceptor> interceptors,
            UnhandledPolicy unhandledPolicy) {
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
        this.unhandledPolicy = unhandledPolicy;
        this.known = byType.isEmpty() ? "none" : String.join(", ", new TreeSet<>(byType.keySet()));
    }

    UnhandledPolicy unhandledPolicy() {
        return unhandledPolicy;
    }

    /** Returns what this executor tells the others of its handlers. */
    HandledTypes handled() {
        Set<String> types = new HashSet<>(byType.keySet());
        if (find(defaultType) != null) {
            types.add(HandledTypes.NO_TYPE);
        }
        return new HandledTypes(types, fallback != null);
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
        if (type == null) {
            return "The task names no type, and queue '" + queue + "' has no default handler. Known types: " + known
                    + ". Send the header tandem-type or set the queue's handler, then retry the task";
        }
        return "Queue '" + queue + "' has no handler for type '" + type + "'" + meant(type) + ". Known types: " + known
                + ". Add a handler, then retry the task";
    }

    /** Asks whether another type was meant. Looks for each type once, because its tasks are tried again and again. */
    private String meant(String type) {
        String question = meant.get(type);
        if (question == null) {
            question = NearestName.of(type, byType.keySet())
                    .map(name -> " (did you mean '" + name + "'?)")
                    .orElse("");
            // A publisher may send any number of types.
            if (meant.size() < MAX_REMEMBERED && type.length() <= NearestName.MAX_LENGTH) {
                meant.put(type, question);
            }
        }
        return question;
    }

    private static Result withSnooze(TaskContext task, Result result) {
        return task instanceof Attempt attempt ? attempt.withSnooze(result) : result;
    }

    /** Returns a handler inside of interceptors, the first of which is the outermost. */
    static Handler wrap(Handler handler, List<Interceptor> interceptors) {
        // Interceptors see what the handler asked for.
        Handler wrapped = interceptors.isEmpty() ? handler : task -> withSnooze(task, handler.handle(task));
        for (int i = interceptors.size() - 1; i >= 0; i--) {
            Interceptor interceptor = interceptors.get(i);
            Handler next = wrapped;
            wrapped = task -> interceptor.around(task, next);
        }
        return wrapped;
    }
}
