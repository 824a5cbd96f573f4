package dev.tandem.test;

import dev.tandem.client.TandemClient;
import dev.tandem.executor.Executor;
import dev.tandem.executor.FanOuts;
import dev.tandem.executor.QueueSpec;
import dev.tandem.executor.QueueStatus;
import dev.tandem.ordering.CoreSettings;
import dev.tandem.runtime.TandemProgram;
import dev.tandem.runtime.queues.FanOutService;
import dev.tandem.runtime.queues.PolicySettings;
import dev.tandem.runtime.queues.QueueSpecs;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.task.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs the tasks of one test from its beginning to its end: the queues, the store, the clock and the executor. */
final class TestSession implements AutoCloseable {

    /** Long enough that the clock can be moved from one due time to the next without a renewal between them. */
    private static final Duration LEASE = Duration.ofDays(30);

    private static final long LONGEST_STEP_MILLIS = Duration.ofDays(1).toMillis();

    /** A loop wakes so often without a reason of its own. */
    private static final long IDLE_TURN_MILLIS = 1_000;

    private static final long LOOK_MILLIS = 20;

    private final Object monitor = new Object();
    private final TestClock clock;
    private final MemoryStore store;
    private final TaskRecorder log;
    private final Map<String, MemoryQueue> queues = new LinkedHashMap<>();
    private final Duration patience;
    /** Null if no program runs the tasks. */
    private @Nullable FanOuts fanOuts;

    /** Null if no program runs the tasks. */
    private final @Nullable Executor executor;

    /**
     * @param client publishes what handlers fan out
     * @param concurrency how many tasks of each queue may run at once
     * @param patience how long a handler may run, by the clock of the machine
     */
    TestSession(
            TandemSettings settings,
            @Nullable TandemProgram program,
            Supplier<TandemClient> client,
            Instant start,
            int concurrency,
            Duration patience) {
        this.clock = new TestClock(start);
        this.store = new MemoryStore(clock);
        this.log = new TaskRecorder(store, clock);
        this.patience = patience;
        settings.queues().keySet().forEach(name -> queues.put(name, new MemoryQueue(name, monitor, clock)));
        this.executor = program == null || program.own().queues().isEmpty()
                ? null
                : executor(settings, program, client.get(), concurrency);
        if (executor != null) {
            executor.start();
        }
    }

    private Executor executor(TandemSettings settings, TandemProgram program, TandemClient client, int concurrency) {
        FanOuts its = FanOutService.inline(settings, store, client, program.metrics(), clock);
        fanOuts = its;
        Executor.Builder builder = Executor.builder()
                .id("test")
                .clock(clock)
                .random(() -> NoJitter.INSTANCE)
                .progressInterval(Duration.ZERO)
                .concurrency(Integer.MAX_VALUE)
                .drainTimeout(Duration.ZERO)
                .metrics(program.metrics())
                .settings(CoreSettings.builder()
                        .leaseMillis(LEASE.toMillis())
                        .horizonMillis(0)
                        .build());
        program.own().queues().forEach((name, queue) -> {
            QueueSpec.Builder spec = QueueSpecs.of(name, queue, queue(name), store)
                    .policy(PolicySettings.queue(queue).withConcurrency(concurrency))
                    .fanOuts(its);
            // First, so that it is the outermost.
            spec.interceptor(log);
            program.handlers().addTo(name, queue, spec);
            builder.queue(spec.build());
        });
        return builder.build();
    }

    TaskRecorder log() {
        return log;
    }

    Instant now() {
        return Instant.ofEpochMilli(clock.wallMillis());
    }

    void publish(Task task) {
        log.submit(queue(task.queue()), task.withPublishedAt(clock.wallMillis()));
    }

    private MemoryQueue queue(String name) {
        MemoryQueue queue = queues.get(name);
        if (queue == null) {
            throw new IllegalStateException("The test has no queue '" + name + "', only " + queues.keySet());
        }
        return queue;
    }

    /** Waits until everything that is due has run. @throws IllegalStateException if a handler runs for too long */
    void runDue() {
        if (!awaitStill()) {
            throw runsForTooLong();
        }
    }

    /** Moves the clock step by step, and at each due time waits until everything that is due has run. */
    void advanceTo(long wallMillis) {
        while (true) {
            boolean still = awaitStill();
            long now = clock.wallMillis();
            long next = still ? nextStep(now) : deadlineOfRunning();
            if (!still && next > wallMillis) {
                throw runsForTooLong();
            }
            if (now >= wallMillis) {
                return;
            }
            clock.moveTo(Math.min(wallMillis, next));
            queues.values().forEach(MemoryQueue::wakeup);
        }
    }

    /** A handler that hangs is interrupted at its timeout, once the clock is there. */
    private long deadlineOfRunning() {
        return log.nextDeadline().map(each -> each.toEpochMilli() + 1).orElse(Long.MAX_VALUE);
    }

    private long nextStep(long now) {
        if (executor == null) {
            return Long.MAX_VALUE;
        }
        long millis = LONGEST_STEP_MILLIS;
        for (MemoryQueue queue : queues.values()) {
            long turn = queue.waitsUntil() - clock.millis();
            if (turn > 0 && turn < IDLE_TURN_MILLIS) {
                millis = Math.min(millis, turn);
            }
            long due = store.millisToNextDue(queue.partition());
            if (due >= 0) {
                // A task that is due and has not run waits for something else, behind which others may be due.
                millis = Math.min(millis, due == 0 ? IDLE_TURN_MILLIS : due);
            }
        }
        return now + millis;
    }

    private boolean awaitStill() {
        if (executor == null) {
            return true;
        }
        long deadline = System.nanoTime() + patience.toNanos();
        synchronized (monitor) {
            while (!isStill(executor)) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                try {
                    monitor.wait(Math.min(LOOK_MILLIS, TimeUnit.NANOSECONDS.toMillis(left) + 1));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("The test was interrupted while its tasks ran", e);
                }
            }
            return true;
        }
    }

    /**
     * A loop that waits has seen all events, so what it says of its runs is true. Runs that wait for others of their batch
     * wait for the clock of the test. A final task may be submitted when the last subtask has ended already.
     */
    private boolean isStill(Executor running) {
        FanOuts its = fanOuts;
        if (its == null) {
            return areStill(running);
        }
        long before = its.asked();
        return its.isIdle() && areStill(running) && its.asked() == before;
    }

    private boolean areStill(Executor running) {
        for (QueueStatus status : running.status()) {
            if (status.state() == QueueStatus.State.FAILED) {
                throw new IllegalStateException("The queue '" + status.queue() + "' failed: " + status.problem());
            }
            if (!queue(status.queue()).isStill() || status.running() > status.collecting()) {
                return false;
            }
        }
        return true;
    }

    private IllegalStateException runsForTooLong() {
        String handlers = log.describeRunning();
        return new IllegalStateException("The tasks have not come to an end within " + patience
                + (handlers.isEmpty() ? "" : ": " + handlers)
                + "\nA handler must not wait for the clock of the test. One that hangs is interrupted at its timeout when the"
                + " test advances the clock that far. patience(...) allows handlers more time. Executor: "
                + (executor == null ? "none" : executor.status()));
    }

    @Override
    public void close() {
        if (executor != null) {
            clock.flow();
            queues.values().forEach(MemoryQueue::wakeup);
            executor.stop();
        }
        if (fanOuts != null) {
            fanOuts.close();
        }
    }
}
