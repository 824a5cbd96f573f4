package dev.tandem.server.runtime;

import dev.tandem.runtime.queues.QueueSource.Reachability;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.task.FailureText;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Asks now and then whether Redis and the brokers can be reached, in a process that runs no tasks: nothing else there
 * has a connection all the time. One thread of its own does that, so that nobody waits. Thread-safe.
 */
final class BrokerWatch implements AutoCloseable {

    private static final long PERIOD_MILLIS = 2_000;
    private static final Reachability UNKNOWN = new Reachability(false, "not asked yet");

    private final Map<SourceType, Callable<?>> brokers = new EnumMap<>(SourceType.class);
    private final Callable<?> redis;
    private final Map<Object, Reachability> known = new ConcurrentHashMap<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "tandem-broker-watch");
        made.setDaemon(true);
        return made;
    });

    /**
     * Begins to ask.
     *
     * @param brokers calls that throw if the brokers of a kind cannot be reached; none may take more than some seconds
     * @param redis the same for Redis
     */
    BrokerWatch(Collection<QueueSettings> queues, Map<SourceType, ? extends Callable<?>> brokers, Callable<?> redis) {
        this.redis = redis;
        queues.forEach(queue -> {
            Callable<?> call = brokers.get(queue.effectiveSource());
            if (call != null) {
                this.brokers.put(queue.effectiveSource(), call);
            }
        });
        Future<?> unused = thread.scheduleWithFixedDelay(this::askAll, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void askAll() {
        known.put("redis", ask(redis));
        brokers.forEach((type, call) -> known.put(type, ask(call)));
    }

    private static Reachability ask(Callable<?> call) {
        try {
            call.call();
            return new Reachability(true, "reached");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        } catch (Exception | LinkageError e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return new Reachability(false, "cannot be reached: " + FailureText.of(cause));
        }
    }

    /** Whether the brokers of this kind were reached lately. */
    Reachability of(SourceType type) {
        return known.getOrDefault(type, UNKNOWN);
    }

    Reachability redis() {
        return known.getOrDefault("redis", UNKNOWN);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
