package dev.tandem.executor;

import dev.tandem.api.Handler;
import dev.tandem.api.Interceptor;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.task.LogText;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Names the task in SLF4J's diagnostic context (MDC) while its handler runs, so that each log line of the handler's thread
 * can say to which task it belongs. Threads that the handler starts do not have it. To be added as the first interceptor.
 *
 * @param keys whether the key of the task, which may be personal data, is named too
 */
public record TaskLogContext(boolean keys) implements Interceptor {

    public static final String QUEUE = "tandem.queue";
    public static final String TASK = "tandem.task";
    public static final String TYPE = "tandem.type";
    public static final String ATTEMPT = "tandem.attempt";
    public static final String KEY = "tandem.key";

    /** The trace in which the task was submitted. Where runs are traced too, the trace of the run has names of its own. */
    public static final String TRACE = "tandem.trace";

    private static final String TRACE_PARENT = "traceparent";

    private static final int MAX_ID = 300;
    private static final int MAX_KEY = 64;

    @Override
    public Result around(TaskContext task, Handler next) throws Exception {
        put(QUEUE, task.queue(), MAX_ID);
        put(TYPE, task.type(), MAX_ID);
        // The lines of a call with several tasks belong to none of them alone.
        if (task.batchSize() == 1) {
            put(TASK, task.id(), MAX_ID);
            put(ATTEMPT, Integer.toString(task.attempt()), MAX_ID);
            put(KEY, keys ? task.key() : null, MAX_KEY);
        }
        put(TRACE, traceOf(task.headers().get(TRACE_PARENT)), MAX_ID);
        try {
            return next.handle(task);
        } finally {
            MDC.remove(QUEUE);
            MDC.remove(TASK);
            MDC.remove(TYPE);
            MDC.remove(ATTEMPT);
            MDC.remove(KEY);
            MDC.remove(TRACE);
        }
    }

    /** Returns the trace of a W3C trace context: {@code 00-}, the trace as 32 digits, {@code -}, and more. */
    private static @Nullable String traceOf(@Nullable String traceParent) {
        boolean whole = traceParent != null
                && traceParent.length() >= 55
                && traceParent.charAt(2) == '-'
                && traceParent.charAt(35) == '-';
        return whole ? traceParent.substring(3, 35) : null;
    }

    private static void put(String name, @Nullable String value, int most) {
        if (value != null) {
            MDC.put(name, LogText.oneLine(value, most));
        }
    }
}
