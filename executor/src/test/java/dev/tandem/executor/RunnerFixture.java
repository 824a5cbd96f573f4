package dev.tandem.executor;

import static org.awaitility.Awaitility.await;

import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Task;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** A runner of the queue "orders" with one slot and a manual clock. */
final class RunnerFixture {

    static final long STUCK_AFTER_MILLIS = 10_000;

    final ManualClock clock = new ManualClock();
    /** The attempts that the watchdog reported as stuck. */
    final List<Attempt> stuck = new ArrayList<>();

    final TimeoutWatchdog watchdog = new TimeoutWatchdog(clock, STUCK_AFTER_MILLIS, stuck::add);
    final OutcomeCounters counters = new OutcomeCounters();
    /** The outcome of the last run. */
    final AtomicReference<Outcome> outcome = new AtomicReference<>();

    final WorkerSlot slot = new WorkerSlot();

    static QueueSpec.Builder queue() {
        return QueueSpec.queue("orders")
                .source(new ScriptedSource())
                .store(new ScriptedStore())
                .policy(QueuePolicy.ordered(4));
    }

    static Task task(String type, String payload) {
        return task(type, payload, "k");
    }

    static Task task(String type, String payload, String key) {
        byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
        return new Task(null, "orders", type, key, bytes, Map.of("h", "v"), 0, 0, 0, 0, null);
    }

    TaskRunner runner(QueueSpec.Builder spec) {
        return runner(spec, ExecutorMetrics.NONE);
    }

    TaskRunner runner(QueueSpec.Builder spec, ExecutorMetrics metrics) {
        ExecutorContext context = TestContexts.of(clock, watchdog, TestContexts.TIMINGS, metrics);
        QueueSpec built = spec.build();
        return new TaskRunner(
                built, context, counters, Gates.of(built, clock), again -> {}, (run, ended) -> outcome.set(ended));
    }

    /** Runs a task on the calling thread. */
    Outcome run(QueueSpec.Builder spec, Run run) {
        runner(spec).run(run, slot);
        return outcome.get();
    }

    /** Runs a task on its own thread, in a slot that is watched, and waits until it has begun. */
    Thread start(Runnable runs) {
        watchdog.add(slot);
        Thread worker = new Thread(runs);
        worker.start();
        await().until(() -> slot.attempt() != null);
        return worker;
    }
}
