package dev.tandem.executor;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A queue's handlers by type, each wrapped in the queue's interceptors. Immutable. */
final class Handlers {

    private final Map<String, Handler> byType;
    private final @Nullable Handler fallback;
    private final @Nullable String defaultType;

    /**
     * @param defaultType of tasks that name none
     * @param fallback runs types that have no handler of their own
     */
    Handlers(
            Map<String, Handler> byType,
            @Nullable Handler fallback,
            @Nullable String defaultType,
            List<Interceptor> interceptors) {
        Map<String, Handler> wrapped = new LinkedHashMap<>();
        byType.forEach((type, handler) -> wrapped.put(type, wrap(handler, interceptors)));
        this.byType = Map.copyOf(wrapped);
        this.fallback = fallback == null ? null : wrap(fallback, interceptors);
        this.defaultType = defaultType;
    }

    /** The type that a task runs as; null if neither it nor the queue names one. */
    @Nullable
    String typeOf(@Nullable String named) {
        return named != null ? named : defaultType;
    }

    @Nullable
    Handler find(@Nullable String type) {
        Handler own = type == null ? null : byType.get(type);
        return own != null ? own : fallback;
    }

    /** Why {@link #find} found nothing, and what to do about it. */
    String missing(String queue, @Nullable String type) {
        String known = byType.isEmpty() ? "none" : String.join(", ", new TreeSet<>(byType.keySet()));
        if (type == null) {
            return "The task names no type and queue '" + queue + "' has no handler for such tasks. Known types: "
                    + known + ". Send the header tandem-type or set the queue's handler, then retry the task";
        }
        return "No handler for type '" + type + "' in queue '" + queue + "'. Known types: " + known
                + ". Add one, then retry the task";
    }

    private static Handler wrap(Handler handler, List<Interceptor> interceptors) {
        Handler wrapped = handler;
        for (int i = interceptors.size() - 1; i >= 0; i--) {
            Interceptor around = interceptors.get(i);
            Handler next = wrapped;
            wrapped = task -> around.around(task, next);
        }
        return wrapped;
    }
}
