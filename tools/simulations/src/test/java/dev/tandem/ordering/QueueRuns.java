package dev.tandem.ordering;

import static dev.tandem.ordering.Oracle.check;

import dev.tandem.ordering.QueueBook.Token;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.StoredClaim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Checks the runs of a message queue's tasks: exclusion, fencing, duplicates, attempts and order. */
final class QueueRuns {

    private record Running(SimProcess process, Run run, SimTask task) {}

    /** A run that succeeded, whether that was recorded or not. */
    private record Done(SimProcess process, Position position, long token) {}

    private record LaneKey(Partition partition, String key) {}

    private final Simulation simulation;
    private final QueueOracle oracle;
    private final QueueBook book;
    private final Map<Run, Running> running = new LinkedHashMap<>();
    private final Map<LaneKey, List<Done>> done = new HashMap<>();
    /** The highest token under which a task of each key has begun. */
    private final Map<LaneKey, Long> tokens = new HashMap<>();

    QueueRuns(Simulation simulation, QueueOracle oracle, QueueBook book) {
        this.simulation = simulation;
        this.oracle = oracle;
        this.book = book;
    }

    void begins(SimProcess process, Run run) {
        long now = simulation.timeline.now();
        SimTask task = oracle.task(SimTask.idOf(run.task()));
        check(!task.unreadable, () -> task + " can't be read, but is run");
        check(task.notBefore <= SimStore.WALL + now, () -> task + " begins before it is due");
        notAfterItsSuccess(run, task);
        notWhileItRuns(process, run, task);
        underClaim(process, run, task, now);
        withItsAttempts(run, task);
        if (oracle.isOrdered(task.key)) {
            alone(process, run, task, now);
            LaneKey lane = new LaneKey(run.partition(), task.key);
            long last = tokens.getOrDefault(lane, 0L);
            check(
                    run.token() > last || book.isSilentlyForgotten(run),
                    () -> task + " begins with token " + TraceFormat.token(run.token()) + " after "
                            + TraceFormat.token(last));
            tokens.merge(lane, run.token(), Math::max);
            if (!book.begun.contains(task) && !book.isForgotten(run)) {
                inOrder(task);
            }
        }
        book.begun.add(task);
        book.byToken.put(Token.of(run), task);
        running.put(run, new Running(process, run, task));
    }

    private void notAfterItsSuccess(Run run, SimTask task) {
        boolean silentLosses = simulation.plan.losses() && simulation.plan.silentLosses();
        check(
                !book.groups.isNamed(task)
                        || !book.groups.isSingle(task)
                        || !book.successAt.containsKey(task)
                        || book.isStale(run)
                        || silentLosses,
                () -> task + " begins though its success is recorded");
    }

    /** A run whose claim stands is not overtaken by another of the same task. */
    private void notWhileItRuns(SimProcess process, Run run, SimTask task) {
        boolean checked = simulation.plan.shared()
                && !simulation.plan.losses()
                && book.groups.isNamed(task)
                && book.groups.isSingle(task);
        if (!checked) {
            return;
        }
        for (Running other : running.values()) {
            if (other.task == task && !book.isStale(other.run) && !book.isStale(run)) {
                StoredClaim claim =
                        simulation.store.state(other.run.partition()).claim(other.run.position());
                check(
                        claim == null || claim.token() != other.run.token(),
                        () -> task + " begins at " + process + " while it runs at " + other.process);
            }
        }
    }

    /** Its own claim stands; or that of the task of its key which ended here before it, and passes on to it. */
    private void underClaim(SimProcess process, Run run, SimTask task, long now) {
        if (book.isForgotten(run)) {
            return;
        }
        ModelPartition state = simulation.store.state(run.partition());
        StoredClaim own = state.claim(run.position());
        StoredClaim claim = own != null && own.token() == run.token() ? own : null;
        if (claim == null && oracle.isOrdered(task.key)) {
            for (Done each : done.getOrDefault(new LaneKey(run.partition(), task.key), List.of())) {
                boolean before = each.process == process && each.token < run.token();
                Token token = new Token(run.partition(), each.token);
                if (before && book.forgotten.contains(token)) {
                    if (book.silentlyForgotten.contains(token)) {
                        book.silentlyForgotten.add(Token.of(run));
                    }
                    return;
                }
                StoredClaim its = before ? state.claim(each.position) : null;
                claim = its != null && its.token() == each.token ? its : claim;
            }
        }
        StoredClaim under = claim;
        check(
                under != null && under.executor().equals(process.id),
                () -> task + " begins at " + process + " with token " + TraceFormat.token(run.token())
                        + " under the claim " + own);
        long lease = process.simulationTime(run.leaseUntil());
        long deadline = state.deadline(under) - SimStore.WALL;
        boolean lostLately = now - book.lastLoss <= simulation.plan.settings().leaseMillis();
        check(
                deadline >= lease || lostLately,
                () -> task + " has a lease until " + lease + " but its claim ends " + deadline);
    }

    /** Starts whose claims lapsed are counted, whoever owned the partition. */
    private void withItsAttempts(Run run, SimTask task) {
        int lapses = book.lapses.getOrDefault(task, 0);
        if (simulation.plan.losses() || !book.groups.isSingle(task) || run.attempt() > lapses) {
            return;
        }
        // Without a message id, a task that ended or is held may run again as a new one.
        boolean mayBeNew = !book.groups.isNamed(task)
                && (book.ended.contains(task)
                        || oracle.inStore(run.partition(), simulation.store::state)
                                .contains(task));
        check(mayBeNew, () -> task + " begins its attempt " + run.attempt() + " after " + lapses + " lapses");
    }

    /** No other handler of the key runs under a lease that its process believes in. */
    private void alone(SimProcess process, Run run, SimTask task, long now) {
        for (Running other : running.values()) {
            long until = other.process.simulationTime(other.run.leaseUntil());
            boolean excused = book.isSilentlyForgotten(other.run) || book.isSilentlyForgotten(run);
            boolean sameKey =
                    task.key.equals(other.task.key) && other.run.partition().equals(run.partition());
            check(
                    !sameKey || until < now || excused,
                    () -> task + " begins at " + process + " while " + other.task + " runs at " + other.process
                            + " until " + until);
        }
    }

    private void inOrder(SimTask task) {
        if (!book.groups.isSingle(task)) {
            return;
        }
        // A task that is redelivered when its delay is over has its place by the broker, whatever began before.
        boolean byBroker = task.notBefore > 0 && (!book.scheduled.contains(task) || !book.groups.isNamed(task));
        boolean nothingForgotten = book.lastLoss == QueueBook.NEVER_LOST;
        for (SimTask other : oracle.tasks(task.partition, task.key)) {
            if (other == task || book.ended.contains(other) || !book.groups.isSingle(other)) {
                continue;
            }
            check(
                    !nothingForgotten || byBroker || !book.begun.contains(other),
                    () -> task + " starts before " + other + " has ended, which had begun");
            boolean earlier = other.offset < task.offset && !other.unreadable && other.notBefore == 0;
            check(task.notBefore != 0 || !earlier, () -> task + " starts before " + other + " has ended");
        }
    }

    void ends(SimProcess process, Run run, Outcome outcome) {
        Running over = running.remove(run);
        if (over != null && SimWorkers.endsPlainly(outcome)) {
            // Whether that was recorded or not.
            book.ended.add(over.task);
            done.computeIfAbsent(new LaneKey(run.partition(), over.task.key), l -> new ArrayList<>())
                    .add(new Done(process, run.position(), run.token()));
        }
    }

    void leavesOut(SimProcess process, Run run) {
        SimTask task = oracle.task(SimTask.idOf(run.task()));
        book.byToken.put(Token.of(run), task);
        running.put(run, new Running(process, run, task));
        ends(process, run, Outcome.Cancelled.BEFORE_RUN);
    }

    void died(SimProcess process) {
        running.values().removeIf(each -> each.process == process);
    }
}
