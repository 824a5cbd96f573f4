package dev.tandem.executor;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeaseRequest;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.executor.pull.PullPolicy;
import dev.tandem.executor.pull.TaskLeases;
import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Hands out the runs of a queue to pull workers, in place of the workers of this process. A run occupies no thread: it ends when its worker
 * says so, or when its lease runs out.
 *
 * <p>Tasks are claimed only while workers ask for some, so that nothing waits here that could run elsewhere or whose turn would be
 * later. A run whose worker has gone before it got it waits for the next call for {@value #READY_MILLIS} ms, and goes back then. Thread-safe.
 */
final class PullDesk implements TaskLeases {

    static final long READY_MILLIS = 1_000;

    /** How long a call waits for tasks whose claims are on their way, once it has one. */
    static final long LINGER_MILLIS = 10;

    /** How long it may take to look for tasks, for a call that does not wait. */
    static final long LOOK_MILLIS = 200;

    /** A run that no worker has. */
    private record Ready(Run run, long since) {}

    private final QueueSpec spec;
    private final ExecutorClock clock;
    private final Runnable wake;
    private final long maxBytes;
    private final PullNotes notes;
    private final Departures departures = new Departures();

    @SuppressWarnings("NullAway.Init") // set before the first run
    private TaskRunner runner;

    @SuppressWarnings("NullAway.Init") // set before the first run
    private PullEnds ends;

    // Guarded by this.
    private final Deque<Ready> ready = new ArrayDeque<>();
    private final Deque<PullCall> calls = new ArrayDeque<>();
    private final PulledLeases leases;
    private boolean closed;
    private final StartReminder reminder = new StartReminder();
    private long lapsed;
    private volatile Runnable whenStartable = () -> {};

    /** @param wake called on any thread when more runs may be started than before; it must not block */
    PullDesk(QueueSpec spec, PullPolicy policy, ExecutorContext context, Runnable wake) {
        this.spec = spec;
        this.clock = context.clock();
        this.wake = wake;
        this.maxBytes = spec.policy().maxBytesInMemory();
        this.notes = new PullNotes(spec);
        this.leases = new PulledLeases(spec, context, policy.lease().toMillis());
    }

    /** Sets what decides about runs. To be called once, before the first one. */
    void runBy(TaskRunner decider) {
        runner = decider;
        ends = new PullEnds(clock, decider);
    }

    // ---- the loop's thread ----

    /** Takes runs that may begin. */
    void offer(Collection<Run> runs) {
        Effects effects = new Effects();
        synchronized (this) {
            for (Run run : runs) {
                Outcome without = departures.include(run) ? Outcome.NotStarted.INSTANCE : runner.checked(run);
                if (without == null) {
                    ready.addLast(new Ready(run, clock.millis()));
                } else {
                    effects.report(run, without);
                }
            }
            handOut(effects);
        }
        effects.run();
    }

    /**
     * Ends a turn: answers calls, and ends what has waited for too long.
     *
     * @param claimed runs that have passed all gates, and those whose claims are on their way
     * @param couldStart how many more tasks could start if workers asked for them
     */
    void turned(int claimed, int couldStart) {
        Effects effects = new Effects();
        long now = clock.millis();
        synchronized (this) {
            boolean allHere = claimed <= leases.size() + ready.size();
            for (PullCall call : List.copyOf(calls)) {
                if (call.due() <= now || allHere && call.mayEnd()) {
                    finish(call, effects);
                }
            }
            sendBack(each -> now - each.since() >= READY_MILLIS, effects);
            endLapsed(now, effects);
            if (reminder.isDue(couldStart, !calls.isEmpty(), now)) {
                effects.add(whenStartable);
            }
        }
        effects.run();
    }

    /** Returns when {@link #turned} is due without any event. */
    synchronized long nextTurn() {
        long next = Math.min(leases.nextLapse(), reminder.next());
        for (PullCall call : calls) {
            next = Math.min(next, call.due());
        }
        Ready oldest = ready.peekFirst();
        return oldest == null ? next : Math.min(next, oldest.since() + READY_MILLIS);
    }

    private void endLapsed(long now, Effects effects) {
        for (PulledLease lease : leases.takeLapsed(now)) {
            lapsed++;
            AttemptEnd end = lease.lapse(now);
            String why = Objects.requireNonNullElse(lease.lost(), "its lease has run out");
            effects.add(() -> ends.end(lease, end, why));
        }
    }

    // ---- hand out ----

    private void handOut(Effects effects) {
        while (!ready.isEmpty() && !calls.isEmpty()) {
            Run run = ready.getFirst().run();
            Outcome without = runner.withoutHandler(run);
            if (without != null) {
                ready.removeFirst();
                effects.report(run, without);
                continue;
            }
            PullCall call = calls.getFirst();
            long size = PulledLeases.sizeOf(run);
            if (call.fits(size)) {
                ready.removeFirst();
                PulledLease lease = leases.add(run, call.wish());
                runner.began(lease.attempt());
                call.take(lease, size, clock.millis());
            }
            if (call.wanted() == 0
                    || !ready.isEmpty()
                            && !call.fits(PulledLeases.sizeOf(ready.getFirst().run()))) {
                finish(call, effects);
            }
        }
    }

    private void finish(PullCall call, Effects effects) {
        calls.remove(call);
        long now = clock.millis();
        List<LeasedTask> tasks = new ArrayList<>(call.taken().size());
        for (PulledLease lease : call.taken()) {
            tasks.add(lease.task(now, spec.timeoutMillisOf(lease.run().task())));
        }
        effects.add(() -> {
            if (!call.answer().complete(tasks)) {
                putBack(tasks.stream().map(LeasedTask::lease).toList());
            }
        });
    }

    /** Sends runs back that no worker has. */
    private void sendBack(Predicate<Ready> chosen, Effects effects) {
        for (Iterator<Ready> each = ready.iterator(); each.hasNext(); ) {
            Ready waiting = each.next();
            if (chosen.test(waiting)) {
                each.remove();
                Outcome without = runner.withoutHandler(waiting.run());
                effects.report(waiting.run(), Objects.requireNonNullElse(without, Outcome.NotStarted.INSTANCE));
            }
        }
    }

    // ---- any thread: pull workers ----

    @Override
    public CompletableFuture<List<LeasedTask>> lease(LeaseCall wish) {
        PullCall call = new PullCall(wish, clock.millis());
        Effects effects = new Effects();
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(new StoppedException(spec.name()));
            }
            calls.addLast(call);
            handOut(effects);
        }
        call.answer().whenComplete((tasks, failure) -> {
            if (call.answer().isCancelled()) {
                cancelled(call);
            }
        });
        effects.run();
        wake.run();
        return call.answer();
    }

    private void cancelled(PullCall call) {
        List<LeaseName> unwanted;
        synchronized (this) {
            unwanted = calls.remove(call)
                    ? call.taken().stream().map(PulledLease::name).toList()
                    : List.of();
        }
        putBack(unwanted);
    }

    /** Takes back tasks that have not left the desk: nobody knows their leases, so the same run may be handed out again. */
    private void putBack(Collection<LeaseName> names) {
        takeBack(names, true);
    }

    /** A worker may have one of them, if only an answer was lost. So the run ends, and the next one has a token of its own. */
    @Override
    public void giveBack(Collection<LeaseName> names) {
        takeBack(names, false);
    }

    private void takeBack(Collection<LeaseName> names, boolean again) {
        Effects effects = new Effects();
        synchronized (this) {
            for (LeaseName name : names) {
                PulledLease lease = leases.find(name);
                if (lease != null && leases.remove(lease)) {
                    if (again
                            && !closed
                            && !departures.include(lease.run())
                            && lease.attempt().abandon()) {
                        ready.addFirst(new Ready(lease.run(), clock.millis()));
                    } else {
                        effects.add(() -> ends.end(lease, new AttemptEnd.Stopped(), "it was given back"));
                    }
                }
            }
            handOut(effects);
        }
        effects.run();
        wake.run();
    }

    @Override
    public CompletableFuture<LeaseAnswer> apply(LeaseName name, LeaseRequest request) {
        PulledLease lease;
        @Nullable CompletableFuture<LeaseAnswer> answer;
        synchronized (this) {
            lease = leases.find(name);
            if (lease == null) {
                return ends.known(name, request);
            }
            boolean ended = request instanceof LeaseRequest.End && leases.remove(lease);
            answer = ended ? ends.begin(name, (LeaseRequest.End) request) : null;
        }
        if (answer == null) {
            return notes.apply(lease, request, millis -> extend(lease, millis));
        }
        ends.end(lease, (LeaseRequest.End) request, answer);
        return answer;
    }

    /** Extends a lease, unless the claim of its task may be lost by now. */
    private LeaseAnswer extend(PulledLease lease, long millis) {
        synchronized (this) {
            String lost = leases.find(lease.name()) == lease ? lease.lost() : "it has ended";
            long now = clock.millis();
            if (lost != null) {
                return LeaseAnswer.lost(lost);
            } else if (now > lease.run().leaseUntil()) {
                return LeaseAnswer.unknown("Redis does not answer the executor, which cannot hold the task");
            }
            lease.extend(now, millis);
            return LeaseAnswer.leased(Math.max(0, lease.until() - now));
        }
    }

    @Override
    public void whenStartable(Runnable listener) {
        whenStartable = listener;
    }

    @Override
    public synchronized Status status() {
        return new Status(leases.size(), ready.size(), calls.size(), reminder.startable(), lapsed);
    }

    // ---- what else the queue says of its runs ----

    /** Returns how many runs workers have, or ask for. Calls that it has counted may be answered without tasks. */
    synchronized int wanted() {
        long wanted = 0;
        for (PullCall call : calls) {
            call.counted();
            wanted += call.wanted();
        }
        return (int) Math.min(Integer.MAX_VALUE, leases.size() + (leases.bytes() < maxBytes ? wanted : 0));
    }

    PullEnds ends() {
        return ends;
    }

    /** Sends all runs back that no worker has. */
    void sendBack() {
        sendBack(each -> true);
    }

    void leave(Partition partition) {
        departures.leave(partition);
        sendBack(each -> departures.include(each.run()));
    }

    void left(Partition partition) {
        departures.left(partition);
    }

    private void sendBack(Predicate<Ready> chosen) {
        Effects effects = new Effects();
        synchronized (this) {
            sendBack(chosen, effects);
        }
        effects.run();
    }

    /** Hands nothing out any more. What workers have goes on. */
    void close() {
        departures.all();
        Effects effects = new Effects();
        synchronized (this) {
            closed = true;
            for (PullCall call : List.copyOf(calls)) {
                if (call.taken().isEmpty()) {
                    calls.remove(call);
                    effects.add(() -> call.answer().completeExceptionally(new StoppedException(spec.name())));
                } else {
                    finish(call, effects);
                }
            }
            sendBack(each -> true, effects);
        }
        effects.run();
    }

    /** Ends all runs, because the process ends. */
    void endAll() {
        for (PulledLease lease : all(each -> true)) {
            boolean had;
            synchronized (this) {
                had = leases.remove(lease);
            }
            if (had) {
                lease.attempt().stop();
                ends.end(lease, new AttemptEnd.Stopped(), "its executor has stopped");
            }
        }
    }

    /** Returns the leases that workers have, of those that are chosen. */
    synchronized List<PulledLease> all(Predicate<PulledLease> chosen) {
        return leases.all(chosen);
    }

    /** The steps that tell others, to be done once the lock is free. */
    private final class Effects {
        private final List<Runnable> all = new ArrayList<>();

        void add(Runnable effect) {
            all.add(effect);
        }

        void report(Run run, Outcome outcome) {
            all.add(() -> runner.report(run, outcome));
        }

        void run() {
            all.forEach(Runnable::run);
        }
    }
}
