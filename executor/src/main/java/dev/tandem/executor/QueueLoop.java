package dev.tandem.executor;

import dev.tandem.executor.pull.TaskLeases;
import dev.tandem.ordering.QueueCore;
import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.store.Registration.OperatorPause;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of one queue in one process. Carries events to the core, and the core's commands to the source, the store
 * and the workers; the core alone decides.
 *
 * <p>One thread, started by {@link #start}, owns the source, the core and everything in the first group of fields.
 * Other threads may call the methods under "Any thread": they post to the inbox, or read and set what is thread-safe.
 */
final class QueueLoop {

    private static final Logger log = LoggerFactory.getLogger(QueueLoop.class);

    /** The longest wait, so that a loop that hangs can be told from one that has nothing to do. */
    private static final long MAX_WAIT_MILLIS = 1_000;

    /** While events keep coming, the source is still polled this often. */
    private static final long BUSY_POLL_NANOS = 1_000_000;

    // Used by the loop's thread only.
    private final LoopSource source;
    private final QueueCore core;
    private final HeldPartitions partitions;
    private final CoreCommands commands;
    private final LoopTurns turns;
    private final @Nullable LoopMemory memory;
    private final SourceEvents sourceEvents;
    private final RetainedPartitions retained;
    private final HandlerWatch handlerWatch;
    private final WaitWatch waits;
    private Collection<Partition> knownPartitions = List.of();
    private long lastPollNanos;
    private long stopRequestedAt;
    private long waitsAt;
    private final LoopPauses pauses;

    // Thread-safe, or read only.
    private final String queue;
    private final ExecutorClock clock;
    private final LoopTimings timings;
    private final LoopInbox inbox;
    private final LoopStatus status;
    private final Gates gates;
    private final TaskRunner runner;
    private final HeldTasks held;
    /** Used by the loop's thread only. */
    private final RunStarter starter;

    private final WorkerPool workers;
    /** Null if the broker assigns the partitions. The loop's thread uses it, others ask {@code isSharing}. */
    private final @Nullable PartitionLeases leases;

    /** Null if the loop leases the partitions. Used by the loop's thread only. */
    private final @Nullable RestKeeper rest;

    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean stopRequested;

    QueueLoop(QueueSpec spec, ExecutorContext context, ThreadFactory handlerThreads) {
        this.queue = spec.name();
        this.clock = context.clock();
        this.timings = context.timings();
        Source.Kind kind = spec.source().kind();
        this.source = new LoopSource(spec.source());
        this.core =
                new QueueCore(kind, spec.policy(), spec.parts().custody(), context.settings(), context.executorId());
        core.maxUnacked(spec.source().maxUnackedMillis());
        this.inbox = new LoopInbox(spec.source());
        OutcomeCounters counters = new OutcomeCounters();
        this.status = new LoopStatus(queue, clock, counters);
        this.waits = new WaitWatch(queue, core, source, status, clock);
        this.gates = Gates.of(spec, context, () -> inbox.post(() -> {}), this::handlers);
        this.pauses = new LoopPauses(core, gates, status);
        status.counts(gates.growth()::heldTasks, gates.dependents());
        this.runner = new TaskRunner(
                spec,
                context,
                counters,
                gates,
                run -> workers().start(List.of(run)),
                (run, outcome) -> inbox.post(() -> core.finished(run, outcome)));
        gates.runBy(runner);
        this.handlerWatch =
                new HandlerWatch(spec, context, runner.unhandledTypes(), runner.comparison(), source, status);
        BatchRunner batches = new BatchRunner(
                spec, context, runner, gates, (runs, outcomes) -> inbox.post(() -> finished(runs, outcomes)));
        this.workers = new WorkerPool(
                spec.policy().concurrency(),
                handlerThreads,
                context.watchdog(),
                spec.handlers().hasBatches() ? batches : runner,
                gates.threads(),
                context.sharedThreads());
        this.starter = new RunStarter(spec, workers, gates, run -> inbox.post(() -> start(run)), batches::add);
        this.held = new HeldTasks(spec, context.executorId(), inbox, core, handlers(), gates, status, clock);
        this.leases = kind == Source.Kind.QUEUE
                ? new PartitionLeases(
                        context.executorId(), spec.members(), timings.leave(), new LeaseActions(), clock.millis())
                : null;
        this.partitions = new HeldPartitions(spec, core, inbox, status, clock);
        this.rest = kind == Source.Kind.LOG
                ? new RestKeeper(queue, context.executorId(), context.settings().leaseMillis(), source, partitions)
                : null;
        this.retained = new RetainedPartitions(spec, context, source, core, partitions, inbox);
        boolean logsKeys = spec.parts().log().keys();
        this.commands = new CoreCommands(source, partitions, starter, gates, retained, leases, status, logsKeys, clock);
        StartLimiter starts = new StartLimiter(spec, core, counters, gates, clock);
        this.memory = kind == Source.Kind.LOG ? new LoopMemory(core, context.memory()) : null;
        this.turns = new LoopTurns(queue, core, clock, inbox, partitions, commands, starts, status, memory);
        this.sourceEvents = new SourceEvents(spec, core, source, inbox, partitions, retained, turns, gates, context);
    }

    // ---- Any thread

    String name() {
        return queue;
    }

    /**
     * Starts the loop's thread.
     *
     * @throws IllegalStateException if the loop was started or stopped before
     */
    void start() {
        if (!status.leaveNew(QueueStatus.State.RUNNING)) {
            throw new IllegalStateException(
                    "Queue '" + queue + "' is " + status.state() + " and can be started only once");
        }
        new Thread(this::run, "tandem-" + queue).start();
    }

    /** Asks the loop to stop, and returns at once. Safe when called again. */
    void requestStop() {
        if (status.leaveNew(QueueStatus.State.STOPPED)) {
            closeQuietly("source", source::close);
            ended.countDown();
            return;
        }
        stopRequested = true;
        inbox.post(() -> {});
    }

    /** Waits for the end of the loop. @return whether the loop ended within that time */
    boolean awaitEnd(long millis) throws InterruptedException {
        return ended.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Returns the longest time in milliseconds that a stop takes if nothing hangs. */
    long maxStopMillis() {
        return timings.leave() + timings.drain() + timings.grace();
    }

    /** Returns whether the loop was neither started nor stopped. */
    boolean isNew() {
        return status.state() == QueueStatus.State.NEW;
    }

    /** Starts no task while {@code paused}, whatever operators say. Tasks that run go on. */
    void pauseStarts(boolean paused) {
        inbox.post(() -> pauses.here(paused));
    }

    /** Starts tasks only once the store says that no operator has paused the queue, or gives up. Tasks that run go on. */
    void pauseByOperator(OperatorPause paused) {
        inbox.post(() -> pauses.byOperator(paused));
    }

    /** Returns the tasks that run here. */
    RunningHandlers handlers() {
        PullDesk desk = gates.desk();
        return desk == null ? workers : new PulledHandlers(desk);
    }

    /** Returns the leases of pull workers; null if the tasks are not pulled. */
    @Nullable
    TaskLeases leases() {
        return gates.desk();
    }

    /** Returns what finds and cancels tasks here, by their ids. */
    HeldTasks held() {
        return held;
    }

    /** Returns the types of the tasks for which there was no handler lately. */
    Set<String> unhandledTypes() {
        return runner.unhandledTypes().types(clock.millis());
    }

    QueueStatus status() {
        return status.snapshot(leases);
    }

    private WorkerPool workers() {
        return workers;
    }

    // ---- The loop's thread

    private void start(Run run) {
        starter.start(List.of(run), clock.millis());
    }

    private void finished(List<Run> runs, List<Outcome> outcomes) {
        for (int i = 0; i < runs.size(); i++) {
            core.finished(runs.get(i), outcomes.get(i));
        }
    }

    private void run() {
        inbox.bind();
        try {
            // The broker may be away, so that there are no partitions whose links would tell of the store.
            partitions.reach(Partition.of(queue, 0));
            while (!stopRequested) {
                step();
            }
            leave();
            drain();
            status.stopped();
        } catch (Throwable t) {
            status.failed(t);
            log.error(
                    "Queue {}: the loop failed because of a bug. Other executors take over its partitions; restart"
                            + " this process",
                    queue,
                    t);
            runner.refuse();
            handlers().interruptAll();
        } finally {
            closeQuietly("source", source::close);
            workers.close();
            closeQuietly("slots", gates::leaveSlots);
            closeQuietly("store links", partitions::closeAllLinks);
            closeQuietly("log", commands::logRest);
            runner.logLeftOut(true);
            if (memory != null) {
                memory.close();
            }
            ended.countDown();
        }
    }

    /** Waits for something to do, then does it. A test may call this instead of {@link #start}. */
    void step() {
        if (rest != null) {
            rest.check(clock.millis());
        }
        long nanos = clock.nanos();
        if (inbox.isEmpty() || nanos - lastPollNanos >= BUSY_POLL_NANOS) {
            lastPollNanos = nanos;
            long maxMillis = leases == null ? MAX_WAIT_MILLIS : leases.millisToCheck(clock.millis());
            poll(turns.millisToNextTurn(maxMillis));
        }
        if (leases != null) {
            checkLeases(leases);
        }
        turns.tick();
        retained.check(clock.millis());
        sourceEvents.check();
        turns.turn();
        lookAtWaits();
    }

    private void lookAtWaits() {
        long now = clock.millis();
        if (now < waitsAt) {
            return;
        }
        waitsAt = now + MAX_WAIT_MILLIS;
        runner.logLeftOut(false);
        waits.check();
        handlerWatch.check();
    }

    private void poll(long maxMillis) {
        boolean mayWait = inbox.enterSource();
        turns.pollBegins();
        try {
            source.poll(mayWait ? maxMillis : 0, sourceEvents);
        } finally {
            inbox.awake();
        }
    }

    private void checkLeases(PartitionLeases all) {
        Collection<Partition> leasable = source.leasable();
        if (leasable != knownPartitions) {
            knownPartitions = leasable;
            core.partitions(leasable);
        }
        all.check(clock.millis(), leasable, retained.without(partitions.held()), retained.without(partitions.owned()));
    }

    /** Releases all partitions, so that other executors can go on with them at once, and closes the source. */
    private void leave() {
        status.stopping();
        stopRequestedAt = clock.millis();
        // Before the batches that wait are given to workers, which return them.
        runner.refuse();
        starter.stop();
        gates.close();
        core.pauseStarts(true);
        // Waits in poll, because the source answers the last commits there.
        turns.release(new HashSet<>(partitions.held()), stopRequestedAt + timings.leave(), this::poll);
        closeQuietly("source", source::close);
    }

    /** Waits for the running handlers, interrupts those that take too long, and waits until outcomes are recorded. */
    private void drain() {
        turnUntilIdle(stopRequestedAt + timings.drain());
        if (core.running() > 0) {
            log.warn(
                    "Queue {}: interrupting the handlers that still run after {} ms: {}",
                    queue,
                    timings.drain(),
                    core.running());
            handlers().interruptAll();
        }
        turnUntilIdle(clock.millis() + timings.grace());
        if (!core.idle()) {
            log.warn(
                    "Queue {}: stopped too early, because some handlers still run ({}) or outcomes are not durable"
                            + " yet. Their tasks will run again",
                    queue,
                    core.running());
        }
    }

    private void turnUntilIdle(long deadline) {
        while (!core.idle() && clock.millis() < deadline) {
            inbox.park(turns.millisToNextTurn(Math.min(MAX_WAIT_MILLIS, deadline - clock.millis())));
            turns.turn();
        }
    }

    private void closeQuietly(String what, Runnable close) {
        try {
            close.run();
        } catch (RuntimeException e) {
            log.warn("Queue {}: failed to close its {}", queue, what, e);
        }
    }

    /** Carries out the decisions about leases, on the loop's thread. */
    private final class LeaseActions implements PartitionLeases.Actions {

        @Override
        public void hold(Partition partition) {
            turns.tick();
            retained.assigned(partition);
            partitions.hold(partition, source.leaseFacts());
        }

        @Override
        public void release(Partition partition) {
            turns.revoke(partition);
        }

        @Override
        public void drop(Partition partition) {
            turns.tick();
            core.lost(partition);
        }
    }
}
