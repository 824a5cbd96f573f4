package dev.tandem.executor;

import dev.tandem.ordering.Commands;
import dev.tandem.ordering.CoreSettings;
import dev.tandem.ordering.QueueCore;
import dev.tandem.ordering.Run;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of one queue in one process: the one thread that owns its source and its core. It carries events to the
 * core and the core's commands to the source, the store and the workers, and decides nothing itself.
 */
final class QueueLoop {

    private static final Logger log = LoggerFactory.getLogger(QueueLoop.class);

    /** The longest wait, so that a loop that hangs can be told from one that has nothing to do. */
    private static final long MAX_WAIT_MILLIS = 1_000;

    /** While events keep coming, the source is still looked at this often. */
    private static final long BUSY_POLL_NANOS = 1_000_000;

    private static final int EVENTS_A_TURN = 10_000;

    private final QueueSpec spec;
    private final Source source;
    private final QueueCore core;
    private final Time time;
    private final LoopTimings timings;
    private final Writers writers;
    private final Inbox inbox;
    private final Links links;
    private final Runner runner;
    private final RunPool pool;
    private final Counters counters = new Counters();
    private final Events events = new Events();
    private final Carrier carrier = new Carrier();
    private final LogLimit commitLog;

    private final @Nullable Leases leases;
    private Collection<Partition> known = List.of();
    private final Set<Partition> held = new HashSet<>();
    /** Those of the held ones whose lease the store gave us. */
    private final Set<Partition> owned = new HashSet<>();

    private final Queue<Runnable> deferred = new ArrayDeque<>();
    private boolean flushing;
    private boolean sourceClosed;
    private long lastPollNanos;
    private long stopRequestedAt;

    private final AtomicReference<QueueStatus.State> state = new AtomicReference<>(QueueStatus.State.NEW);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean stopRequested;
    private volatile @Nullable String failure;
    private volatile @Nullable String storeTrouble;
    private volatile int partitionsHeld;
    private volatile int partitionsDown;
    private volatile int running;
    private volatile long lastTurnAt;

    QueueLoop(
            QueueSpec spec,
            QueueCore core,
            String executor,
            Writers writers,
            Time time,
            LoopTimings timings,
            Watchdog watchdog,
            Quarantine quarantine,
            ThreadFactory handlerThreads,
            ExecutorMetrics metrics) {
        this.spec = spec;
        this.source = spec.source();
        this.core = core;
        this.writers = writers;
        this.time = time;
        this.timings = timings;
        this.inbox = new Inbox(source);
        this.links = new Links(spec.store(), inbox, events);
        this.runner = new Runner(
                spec,
                time,
                watchdog,
                quarantine,
                metrics,
                counters,
                (run, outcome) -> inbox.post(() -> core.finished(run, outcome)));
        this.pool = new RunPool(spec.policy().concurrency(), handlerThreads, watchdog, runner);
        this.leases = source.kind() == Source.Kind.QUEUE
                ? new Leases(executor, spec.members(), timings.leave(), new LeaseHands(), time.millis())
                : null;
        this.lastTurnAt = time.millis();
        this.commitLog = new LogLimit(time, 1, 10_000);
    }

    static QueueCore coreFor(QueueSpec spec, CoreSettings settings, String executor) {
        return new QueueCore(spec.source().kind(), spec.policy(), settings, executor);
    }

    String name() {
        return spec.name();
    }

    // ---- life

    /**
     * Starts the loop's thread.
     *
     * @throws IllegalStateException if it was started or stopped before
     */
    void start() {
        if (!state.compareAndSet(QueueStatus.State.NEW, QueueStatus.State.RUNNING)) {
            throw new IllegalStateException("Queue '" + spec.name() + "' is " + state() + ", it starts only once");
        }
        new Thread(this::run, "tandem-" + spec.name()).start();
    }

    /** Asks the loop to leave. Returns at once; safe when called again. */
    void requestStop() {
        if (state.compareAndSet(QueueStatus.State.NEW, QueueStatus.State.STOPPED)) {
            closeQuietly("source", source::close);
            ended.countDown();
            return;
        }
        stopRequested = true;
        inbox.post(() -> {});
    }

    /** @return whether the loop ended within that time */
    boolean awaitEnd(long millis) throws InterruptedException {
        return ended.await(millis, TimeUnit.MILLISECONDS);
    }

    /** The milliseconds that a stop takes at most if nothing hangs. */
    long stopMillis() {
        return timings.leave() + timings.drain() + timings.grace();
    }

    /** No new starts while true. From any thread. */
    void pauseStarts(boolean paused) {
        inbox.post(() -> {
            if (state() == QueueStatus.State.RUNNING) {
                core.pauseStarts(paused);
            }
        });
    }

    /** What the core holds, in words, as of the loop's next turn. From any thread. */
    CompletableFuture<String> describe() {
        CompletableFuture<String> description = new CompletableFuture<>();
        inbox.post(() -> description.complete(core.toString()));
        return description;
    }

    private void run() {
        inbox.bind();
        try {
            while (!stopRequested) {
                step();
            }
            leave();
            drain();
            state.set(QueueStatus.State.STOPPED);
        } catch (Throwable t) {
            failure = "stopped by a bug, restart this process: " + t;
            state.set(QueueStatus.State.FAILED);
            log.error(
                    "Queue {}: its loop stopped by a bug. Its partitions go to other executors; restart this process",
                    spec.name(),
                    t);
            runner.refuse();
            pool.interruptAll();
        } finally {
            closeSource();
            pool.close();
            closeQuietly("links", () -> links.retain(Set.of()));
            ended.countDown();
        }
    }

    // ---- turns

    /** Waits for something to do, then does it. A test may call this instead of {@link #start}. */
    void step() {
        long nanos = time.nanos();
        if (inbox.isEmpty() || nanos - lastPollNanos >= BUSY_POLL_NANOS) {
            lastPollNanos = nanos;
            poll(waitMillis(leases == null ? MAX_WAIT_MILLIS : leases.millisToLook(time.millis())));
        }
        if (leases != null) {
            lease(leases);
        }
        turn();
    }

    private void lease(Leases all) {
        Collection<Partition> leasable = source.leasable();
        if (leasable != known) {
            known = leasable;
            core.partitions(leasable);
        }
        all.look(time.millis(), leasable, held, owned);
    }

    private void poll(long maxMillis) {
        boolean nothingCame = inbox.enterSource();
        events.ticked = false;
        try {
            source.poll(nothingCame ? maxMillis : 0, events);
        } finally {
            inbox.awake();
        }
    }

    private long waitMillis(long most) {
        return Math.max(0, Math.min(most, core.nextTurn() - time.millis()));
    }

    /** Tells the core what came and carries out what it wants. */
    private void turn() {
        tick();
        for (Runnable event = deferred.poll(); event != null; event = deferred.poll()) {
            event.run();
        }
        inbox.drain(EVENTS_A_TURN);
        flushing = true;
        try {
            core.flush(carrier);
        } finally {
            flushing = false;
        }
        carrier.startAll();
        if (links.count() > held.size() && core.idle() && !core.isRecalling()) {
            links.retain(held).forEach(core::storeDown);
        }
        running = core.running();
        lastTurnAt = time.millis();
    }

    private void tick() {
        core.clock(time.millis(), time.wallMillis());
    }

    private void hold(Partition partition, Source.Facts facts) {
        if (state() == QueueStatus.State.STOPPING) {
            return;
        }
        held.add(partition);
        core.assigned(partition, facts, writers.of(partition));
        // The core may remember an earlier link of this partition: what counts is this one.
        if (links.open(partition)) {
            core.storeUp(partition);
        } else {
            core.storeDown(partition);
        }
        noteHealth();
    }

    private void noteHealth() {
        partitionsHeld = held.size();
        partitionsDown = links.down(held);
        storeTrouble = links.trouble(held);
    }

    // ---- leaving

    /**
     * Gives partitions up: turns until the core has flushed and released them, or the time is up.
     *
     * @param wait waits a little for what comes next
     */
    private void giveUp(Collection<Partition> partitions, long until, Waiter wait) {
        Set<Partition> leaving = new HashSet<>(partitions);
        leaving.retainAll(held);
        tick();
        leaving.forEach(core::revoked);
        turn();
        leaving.retainAll(held);
        while (!leaving.isEmpty() && time.millis() < until) {
            wait.atMost(waitMillis(until - time.millis()));
            turn();
            leaving.retainAll(held);
        }
        if (!leaving.isEmpty()) {
            log.warn("Queue {}: {} could not be released in time, their leases lapse instead", spec.name(), leaving);
            leaving.forEach(core::lost);
            turn();
        }
    }

    /** Waits for the next event or this many milliseconds. */
    @FunctionalInterface
    private interface Waiter {
        void atMost(long millis);
    }

    private void leave() {
        state.set(QueueStatus.State.STOPPING);
        stopRequestedAt = time.millis();
        runner.refuse();
        core.pauseStarts(true);
        // The source is still polled: the last commits are answered there.
        giveUp(new HashSet<>(held), stopRequestedAt + timings.leave(), this::poll);
        closeSource();
    }

    private void drain() {
        drainUntil(stopRequestedAt + timings.drain());
        if (core.running() > 0) {
            log.warn(
                    "Queue {}: {} handlers still run after {} ms and are interrupted",
                    spec.name(),
                    core.running(),
                    timings.drain());
            pool.interruptAll();
        }
        drainUntil(time.millis() + timings.grace());
        if (!core.idle()) {
            log.warn(
                    "Queue {}: stops with {} handlers that did not end or outcomes that were not recorded for sure;"
                            + " those tasks will run again",
                    spec.name(),
                    core.running());
        }
    }

    private void drainUntil(long until) {
        while (!core.idle() && time.millis() < until) {
            inbox.park(waitMillis(Math.min(MAX_WAIT_MILLIS, until - time.millis())));
            turn();
        }
    }

    private void closeSource() {
        if (!sourceClosed) {
            sourceClosed = true;
            closeQuietly("source", source::close);
        }
    }

    private void closeQuietly(String what, Runnable close) {
        try {
            close.run();
        } catch (RuntimeException e) {
            log.warn("Queue {}: closing its {} failed", spec.name(), what, e);
        }
    }

    // ---- seen from outside

    QueueStatus status() {
        QueueStatus.State now = state();
        return new QueueStatus(
                spec.name(),
                now,
                problem(now),
                isSharing(now),
                partitionsHeld,
                partitionsDown,
                running,
                counters.succeeded.sum(),
                counters.retried.sum(),
                counters.dead.sum(),
                counters.notStarted.sum(),
                counters.timedOut.sum(),
                Math.max(0, time.millis() - lastTurnAt));
    }

    private boolean isSharing(QueueStatus.State now) {
        boolean turns = now == QueueStatus.State.NEW || now == QueueStatus.State.RUNNING;
        return turns && (leases == null || leases.isSharing(time.millis()));
    }

    private QueueStatus.State state() {
        return Objects.requireNonNull(state.get());
    }

    private @Nullable String problem(QueueStatus.State now) {
        if (failure != null) {
            return failure;
        }
        long age = time.millis() - lastTurnAt;
        if (now == QueueStatus.State.RUNNING && age > 10 * MAX_WAIT_MILLIS) {
            return "no turn for " + age + " ms: its broker does not answer, or the loop hangs";
        }
        String trouble = storeTrouble;
        return trouble == null
                ? null
                : "the store of " + partitionsDown + " of " + partitionsHeld + " partitions can't be reached: "
                        + trouble;
    }

    /** What source and store say, on the loop's thread. What leads to commands makes the source's poll return. */
    private final class Events implements Source.Events, Links.Listener {
        private boolean ticked;

        /**
         * The core is told at once, but not in the middle of its own flush: a source that answers a command right away
         * is heard after it.
         */
        private void tell(Runnable event) {
            if (sourceClosed) {
                return;
            }
            if (flushing) {
                deferred.add(event);
                return;
            }
            if (!ticked) {
                // The wait may have been long: the core must not judge what is due by an old clock.
                ticked = true;
                tick();
            }
            event.run();
        }

        @Override
        public void assigned(Partition partition, Source.Facts facts) {
            tell(() -> hold(partition, facts));
            source.wakeup();
        }

        @Override
        public void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence) {
            tell(() -> core.delivered(partition, deliveries, nextSequence));
        }

        @Override
        public void caughtUp(Partition partition) {
            tell(() -> core.caughtUp(partition));
        }

        @Override
        public void committed(Partition partition, long upTo) {
            tell(() -> core.committed(partition, upTo));
        }

        @Override
        public void commitFailed(Partition partition, String why) {
            long keptBack = commitLog.admit();
            if (keptBack >= 0) {
                // Usual while the group rebalances.
                log.info(
                        "Queue {}: a commit of {} failed and is tried again{}: {}",
                        spec.name(),
                        partition,
                        keptBack == 0 ? "" : ", as did " + keptBack + " others",
                        why);
            }
            tell(() -> core.commitFailed(partition));
        }

        @Override
        public void confirmed(Partition partition, Source.Facts facts) {
            tell(() -> core.confirmed(partition, facts));
            source.wakeup();
        }

        @Override
        public void revoked(Collection<Partition> partitions) {
            aside(() -> giveUp(partitions, time.millis() + timings.leave(), inbox::park));
        }

        @Override
        public void lost(Collection<Partition> partitions) {
            aside(() -> {
                tick();
                for (Partition partition : partitions) {
                    if (held.contains(partition)) {
                        log.warn("Queue {}: {} is not ours any more", spec.name(), partition);
                        core.lost(partition);
                    }
                }
                // At once, so that it has left before it can be assigned again.
                turn();
            });
        }

        /** Turns inside of a call from the source, which then returns from its poll so that the turns go on. */
        private void aside(Runnable turns) {
            if (sourceClosed) {
                return;
            }
            if (flushing) {
                throw new IllegalStateException(
                        "The source of queue '" + spec.name() + "' took partitions away outside of poll");
            }
            // Posts must not wake the source while it waits for this very call to return.
            inbox.awake();
            turns.run();
            source.wakeup();
        }

        @Override
        public void answered(StoreRequest request, StoreAnswer answer) {
            core.answered(request, answer);
        }

        @Override
        public void down(Partition partition, String why) {
            boolean wasWell = partitionsDown == 0;
            core.storeDown(partition);
            noteHealth();
            if (wasWell) {
                log.warn("Queue {}: the store can't be reached, of {} at first: {}", spec.name(), partition, why);
            }
        }

        @Override
        public void up(Partition partition) {
            boolean wasTroubled = partitionsDown > 0;
            core.storeUp(partition);
            noteHealth();
            if (wasTroubled && partitionsDown == 0) {
                log.info("Queue {}: the store of all {} partitions is reached", spec.name(), partitionsHeld);
            }
        }

        @Override
        public void woken(Partition partition) {
            core.woken(partition);
        }
    }

    /** Takes and gives up partitions that no broker assigns. */
    private final class LeaseHands implements Leases.Hands {
        @Override
        public void take(Partition partition) {
            tick();
            hold(partition, Source.Facts.NONE);
        }

        @Override
        public void giveUp(Partition partition) {
            tick();
            core.revoked(partition);
        }

        @Override
        public void drop(Partition partition) {
            tick();
            core.lost(partition);
        }
    }

    /** Carries out what the core wants, in its order; runs go to the workers together, after the flush. */
    private final class Carrier implements Commands {
        private final List<Run> starts = new ArrayList<>();

        void startAll() {
            if (!starts.isEmpty()) {
                pool.start(starts);
                starts.clear();
            }
        }

        @Override
        public void send(StoreRequest request) {
            links.send(request);
        }

        @Override
        public void reach(Partition partition) {
            if (links.open(partition)) {
                inbox.post(() -> core.storeUp(partition));
            }
        }

        @Override
        public void start(Run run) {
            starts.add(run);
        }

        @Override
        public void commit(Partition partition, long upTo) {
            if (!sourceClosed) {
                source.commit(partition, upTo);
            }
        }

        @Override
        public void ack(Partition partition, Collection<Long> sequences) {
            if (!sourceClosed) {
                source.ack(partition, sequences);
            }
        }

        @Override
        public void open(Partition partition) {
            owned.add(partition);
            if (!sourceClosed) {
                source.open(partition);
            }
        }

        @Override
        public void pause(Partition partition) {
            if (!sourceClosed) {
                source.pause(partition);
            }
        }

        @Override
        public void resume(Partition partition) {
            if (!sourceClosed) {
                source.resume(partition);
            }
        }

        @Override
        public void rewind(Partition partition) {
            if (!sourceClosed) {
                source.rewind(partition);
            }
        }

        @Override
        public void confirm(Partition partition) {
            if (!sourceClosed) {
                source.confirm(partition);
            }
        }

        @Override
        public void left(Partition partition) {
            held.remove(partition);
            owned.remove(partition);
            noteHealth();
            if (leases != null) {
                leases.changed(partition);
            }
            boolean givenUpByUs = leases != null || state() == QueueStatus.State.STOPPING;
            if (givenUpByUs && !sourceClosed) {
                source.close(partition);
            }
        }
    }
}
