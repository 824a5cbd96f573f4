package dev.tandem.spring;

import dev.tandem.api.Handler;
import dev.tandem.api.Interceptor;
import dev.tandem.api.Result;
import dev.tandem.api.RunOutcome;
import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Observes submissions and runs by Micrometer. Where the observations are traced, the context travels in the headers of the
 * task, and a run is a child of its submission. Thread-safe.
 *
 * <p>A run is not named like the timer of runs, {@code tandem.task.run}: an observation becomes a timer too, with other tags,
 * and Prometheus takes only one of both.
 */
final class TaskObservations implements Interceptor, SubmitInterceptor {

    static final String SUBMIT = "tandem.task.submit";
    static final String PROCESS = "tandem.task.process";

    /** Callers of the client choose queues and types, and could otherwise create any number of metrics. */
    private static final int MOST_NAMES = 200;

    private static final String OTHER = "other";
    private static final String NONE = "none";

    private final ObservationRegistry registry;
    private final Set<String> names = ConcurrentHashMap.newKeySet();

    TaskObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public TaskRef<?> around(TaskRequest<?> task, Next next) {
        if (registry.isNoop()) {
            return next.submit(task);
        }
        Map<String, String> headers = new LinkedHashMap<>(task.options().headers());
        SenderContext<Map<String, String>> context =
                new SenderContext<>((into, name, value) -> put(into, name, value), Kind.PRODUCER);
        context.setCarrier(headers);
        Observation observation = start(SUBMIT, context, "publish", task.queue(), task.type());
        TaskRef<?> ref;
        try (Observation.Scope unused = observation.openScope()) {
            ref = next.submit(with(task, headers));
        } catch (RuntimeException | Error e) {
            end(observation, e);
            throw e;
        }
        ref.accepted().whenComplete((accepted, failure) -> end(observation, failure));
        return ref;
    }

    private static void put(@Nullable Map<String, String> headers, String name, String value) {
        if (headers != null) {
            headers.put(name, value);
        }
    }

    private static TaskRequest<?> with(TaskRequest<?> task, Map<String, String> headers) {
        return headers.equals(task.options().headers())
                ? task
                : task.with(new TaskOptions(null, null, null, null, null, null, headers));
    }

    private static void end(Observation observation, @Nullable Throwable failure) {
        if (failure != null) {
            observation.error(failure);
        }
        observation.stop();
    }

    @Override
    public Result around(TaskContext task, Handler next) throws Exception {
        if (registry.isNoop()) {
            return next.handle(task);
        }
        ReceiverContext<Map<String, String>> context = new ReceiverContext<>(Map::get, Kind.CONSUMER);
        context.setCarrier(task.headers());
        Observation observation = start(PROCESS, context, "process", task.queue(), task.type())
                .highCardinalityKeyValue("attempt", Integer.toString(task.attempt()))
                .highCardinalityKeyValue("id", task.id());
        task.waited()
                .ifPresent(wait -> observation.highCardinalityKeyValue("wait.millis", Long.toString(wait.toMillis())));
        try (Observation.Scope unused = observation.openScope()) {
            Result result = next.handle(task);
            outcome(observation, RunOutcome.of(task, result));
            return result;
        } catch (Throwable failure) {
            RunOutcome outcome = RunOutcome.of(task, failure);
            outcome(observation, outcome);
            if (outcome != RunOutcome.SNOOZED) {
                observation.error(failure);
            }
            throw failure;
        } finally {
            observation.stop();
        }
    }

    private Observation start(
            String name, Observation.Context context, String operation, String queue, @Nullable String type) {
        return Observation.createNotStarted(name, () -> context, registry)
                .contextualName(operation + " " + queue)
                .lowCardinalityKeyValue("queue", bounded(queue))
                .lowCardinalityKeyValue("type", type == null ? NONE : bounded(type))
                .start();
    }

    private static void outcome(Observation observation, RunOutcome outcome) {
        observation.lowCardinalityKeyValue(KeyValue.of("outcome", outcome.name().toLowerCase(Locale.ROOT)));
    }

    private String bounded(String name) {
        return names.contains(name) || (names.size() < MOST_NAMES && names.add(name)) ? name : OTHER;
    }
}
