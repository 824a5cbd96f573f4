package dev.tandem.executor;

import dev.tandem.executor.pull.PullPolicy;
import dev.tandem.ordering.Arrival;
import dev.tandem.ordering.QueueCore;
import dev.tandem.ordering.RecordedEnd;
import dev.tandem.ordering.RefusedEnd;
import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Task;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.PausedTasks;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The gates of a queue, in their order. A run is asked about at the next gate when the ones before let it go to its handler.
 * Thread-safe.
 */
final class Gates {

    private final List<Gate> gates;
    /** Null if the queue has slots of its own. */
    private final SlotShares.@Nullable Member share;

    Gates(List<? extends Gate> gates) {
        this(gates, null);
    }

    Gates(List<? extends Gate> gates, SlotShares.@Nullable Member share) {
        this.gates = List.copyOf(gates);
        this.share = share;
    }

    /** Returns the gates of a queue without limits. */
    static Gates of(QueueSpec spec, ExecutorClock clock) {
        return new Gates(withoutLimits(spec, clock, () -> PausedTasks.NONE, null));
    }

    /** @param handlers null if none is ever to be cancelled */
    private static List<Gate> withoutLimits(
            QueueSpec spec,
            ExecutorClock clock,
            Supplier<PausedTasks> paused,
            @Nullable Supplier<? extends RunningHandlers> handlers) {
        List<Gate> all = new ArrayList<>();
        // The order of a key holds for all that follows, also for tasks that end without a run.
        all.add(new GrowthGate(spec, clock));
        // A duplicate ends at once, whatever else its task would wait for.
        all.add(new DedupGate(spec, clock));
        // Paused tasks ask the gates behind this one for nothing. Duplicates of them end all the same.
        all.add(new PauseGate(spec, paused, clock));
        FanOuts fanOuts = spec.parts().fanOuts();
        if (fanOuts != null) {
            // A subtask of a stopped fan-out is cancelled, and does not wait for other tasks.
            all.add(new FanOutGate(spec, fanOuts, handlers));
        }
        // The wait for other tasks may take days. A token or a permit would be lost or idle meanwhile.
        all.add(new DependencyGate(spec, clock));
        return all;
    }

    /** Returns the gates in the order in which runs pass them. */
    List<Gate> inOrder() {
        return gates;
    }

    /** Returns what counts the threads of the queue's workers; null if no gate asks. */
    @Nullable
    FreeThreads threads() {
        for (Gate gate : gates) {
            if (gate instanceof PermitGate permits) {
                return permits.threads();
            }
        }
        return null;
    }

    /** Returns the gate of tasks whose keys move when the log grows. */
    GrowthGate growth() {
        return gates.stream()
                .filter(GrowthGate.class::isInstance)
                .map(GrowthGate.class::cast)
                .findFirst()
                .orElseThrow();
    }

    /** Returns what hands the runs of the queue out to pull workers; null if workers of this process run them. */
    @Nullable
    PullDesk desk() {
        Gate last = gates.get(gates.size() - 1);
        return last instanceof PullGate pull ? pull.desk() : null;
    }

    /** Sets what decides about runs that pull workers get. To be called once, before the first run. */
    void runBy(TaskRunner runner) {
        PullDesk desk = desk();
        if (desk != null) {
            desk.runBy(runner);
        }
    }

    /** Returns the tasks that wait for others. */
    Dependents dependents() {
        return gates.stream()
                .filter(DependencyGate.class::isInstance)
                .map(DependencyGate.class::cast)
                .findFirst()
                .orElseThrow()
                .dependents();
    }

    /**
     * Returns the gates of a queue.
     *
     * @param wake called on any thread when more runs may be started than before
     * @param handlers returns the handlers that run
     */
    static Gates of(
            QueueSpec spec, ExecutorContext context, Runnable wake, Supplier<? extends RunningHandlers> handlers) {
        List<Gate> all =
                withoutLimits(spec, context.clock(), context.pausedTasks().apply(spec.name()), handlers);
        PermitGate permits =
                context.limits().gate(spec, wake, runs -> handlers.get().interrupt(runs));
        RateGate rates = context.limits().rateGate(spec, wake, permits);
        if (rates != null) {
            // A permit would be idle while its run waits for a token. A token need not be used at its time.
            all.add(rates);
        }
        if (permits != null) {
            // A permit is given when a thread is free, so that the handler begins at once.
            all.add(permits);
        }
        PullPolicy pull = spec.parts().pull();
        if (pull != null) {
            // What has passed all others goes to a pull worker.
            all.add(new PullGate(new PullDesk(spec, pull, context, wake)));
        }
        // Runs of pull workers need no slots.
        SlotShares shares = pull == null ? context.shares() : null;
        if (shares != null && permits != null) {
            permits.threads().share(shares.threads());
        }
        return new Gates(
                all,
                shares == null
                        ? null
                        : shares.join(spec.policy().starts(), spec.policy().concurrency(), wake));
    }

    /** Returns whether any gate has a say about a task. */
    boolean concern(Task task) {
        for (Gate gate : gates) {
            if (gate.concerns(task)) {
                return true;
            }
        }
        return false;
    }

    /** Tells the gates that a task has come. @return whether {@link #flush} is to be called */
    boolean arrived(Arrival arrival) {
        boolean any = false;
        for (Gate gate : gates) {
            if (gate.concerns(arrival.task())) {
                any = true;
                gate.arrived(arrival);
            }
        }
        return any;
    }

    /** Sends what is to be asked about tasks that have come. */
    void flush() {
        gates.forEach(Gate::flush);
    }

    /**
     * Returns whether a run must wait for an answer.
     *
     * @param goOn called on any thread when it is to be asked about again; it must not block
     */
    boolean mustWait(Run run, Runnable goOn) {
        for (Gate gate : gates) {
            if (!gate.concerns(run.task())) {
                continue;
            }
            if (gate.mustWait(run, goOn)) {
                return true;
            }
            if (!gate.mayRun(run)) {
                return false;
            }
        }
        return false;
    }

    /** Returns whether a run that need not wait any more goes to its handler. */
    boolean mayRun(Run run) {
        for (Gate gate : gates) {
            if (gate.concerns(run.task()) && !gate.mayRun(run)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a run has lost its permit since a gate let it pass, so that its handler must not begin. */
    boolean hasLost(Run run) {
        for (Gate gate : gates) {
            if (gate.hasLost(run)) {
                return true;
            }
        }
        return false;
    }

    /** Takes what was answered about a run, when a worker begins it. @return the outcome of a task that does not run, else null */
    @Nullable
    Outcome takeOutcome(Run run) {
        Outcome first = null;
        for (Gate gate : gates) {
            if (gate.concerns(run.task())) {
                Outcome outcome = gate.takeOutcome(run);
                first = first == null ? outcome : first;
            }
        }
        return first;
    }

    /** Returns whether any gate is to hear of the end of a run, though none had a say about its task. */
    boolean awaitEnd(Run run) {
        for (Gate gate : gates) {
            if (gate.awaitsEnd(run)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Tells the gates how a run ended, the last gate first.
     *
     * @param then called once, on any thread, when the outcome may be recorded; it must not block
     */
    void ended(Run run, Outcome outcome, Runnable then) {
        ended(gates.size() - 1, run, outcome, then);
    }

    private void ended(int number, Run run, Outcome outcome, Runnable then) {
        if (number < 0) {
            then.run();
            return;
        }
        Gate gate = gates.get(number);
        if (gate.concerns(run.task()) || gate.awaitsEnd(run)) {
            gate.ended(run, outcome, () -> ended(number - 1, run, outcome, then));
        } else {
            ended(number - 1, run, outcome, then);
        }
    }

    /** Tells the gates that the store has recorded the end of a task with dependencies. */
    void recorded(RecordedEnd end) {
        gates.forEach(gate -> gate.recorded(end));
    }

    /** Tells the gates that the store has refused the end of a run. */
    void refused(RefusedEnd end) {
        gates.forEach(gate -> gate.refused(end));
    }

    /** Tells the gates that the queue's loop has turned. */
    void turned(QueueCore core) {
        PullDesk desk = desk();
        if (desk != null) {
            desk.turned(core.running() - waiting(), core.waitingStarts());
        }
    }

    /** Returns when {@link #turned} is due without any event. */
    long nextTurn() {
        PullDesk desk = desk();
        return desk == null ? Long.MAX_VALUE : desk.nextTurn();
    }

    private int waiting() {
        int waiting = 0;
        for (Gate gate : gates) {
            waiting += gate.waiting();
        }
        return waiting;
    }

    /** Tells the core how many runs wait without slots, and how many there may be. */
    void bound(QueueCore core) {
        int waiting = waiting();
        int most = Integer.MAX_VALUE;
        for (Gate gate : gates) {
            int behind = gate.mostBehind();
            most = Math.min(most, behind == Integer.MAX_VALUE ? gate.mostRuns() : behind + waiting);
        }
        if (share != null) {
            // What the gates would keep back needs no slots, so that other queues get them.
            int startable = Math.max(0, most - core.running());
            int mine = share.turn(Math.max(0, core.running() - waiting), Math.min(core.waitingStarts(), startable));
            most = Math.min(most, mine + waiting);
        }
        core.waitingRuns(waiting, most);
    }

    /** Names the runs that wait at a gate for long, each with what it waits for, in words for people. */
    void eachWaiting(BiConsumer<Run, WaitReason> listener) {
        gates.forEach(gate -> gate.eachWaiting(listener));
    }

    /** Leaves the slots to the other queues, because this one starts nothing any more. */
    void leaveSlots() {
        if (share != null) {
            share.leave();
        }
    }

    /** Ends the wait of all runs that wait at a gate. Their tasks go back without an attempt. */
    void turnAway() {
        gates.forEach(Gate::turnAway);
    }

    /** Does the same, also for runs that would have to wait from now on. */
    void close() {
        gates.forEach(Gate::close);
    }

    /** Does the same for the runs of a partition that this executor gives up, until {@link #left}. */
    void leave(Partition partition) {
        gates.forEach(each -> each.leave(partition));
    }

    /** Tells the gates that this executor has given up a partition. */
    void left(Partition partition) {
        gates.forEach(each -> each.left(partition));
    }
}
