package dev.tandem.ordering;

import static dev.tandem.ordering.Oracle.check;

import dev.tandem.task.Outcome;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.StoreAnswer.CustodyTaken;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.TakeCustody;
import dev.tandem.task.store.StoredClaim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks the runs of a log's tasks: exclusion, fencing, duplicates; and has their order checked. */
final class LogRuns {

    private record Running(SimProcess process, Run run, SeenTask seen) {}

    private final Simulation simulation;
    private final LogBooks books;
    private final LaneOrder order;
    private final Map<Run, Running> running = new LinkedHashMap<>();
    /** Ordered to start, and not ended. */
    private final Set<Run> ordered = new HashSet<>();
    /** Ordered to start under the claim of their predecessor. */
    private final Set<Run> relayed = new HashSet<>();

    LogRuns(Simulation simulation, LogBooks books) {
        this.simulation = simulation;
        this.books = books;
        this.order = new LaneOrder(simulation, books);
    }

    private boolean isSilentlyForgotten(Run run) {
        return books.silentlyForgotten.contains(run.token());
    }

    void starts(Run run) {
        ordered.add(run);
        books.book(run.partition()).former.starts(run);
        StoredClaim claim = simulation.store.state(run.partition()).claim(run.position());
        if (claim == null || claim.token() != run.token()) {
            relayed.add(run);
        }
    }

    /** The store forgot, unnoticed, what claims and renewals the leases of the present runs may rest on. */
    void silentlyForgotten() {
        ordered.forEach(run -> books.silentlyForgotten.add(run.token()));
    }

    void begins(SimProcess process, Run run) {
        long now = simulation.timeline.now();
        SeenTask seen = books.ofRun(run);
        check(!seen.task.unreadable, () -> seen + " can't be read, but is run");
        check(seen.task.notBefore <= SimStore.WALL + now, () -> seen + " begins before it is due");
        boolean former = books.book(run.partition()).former.contains(seen);
        if (former) {
            underNoClaim(seen, run);
        } else if (!seen.forgotten.contains(run.token()) && !isSilentlyForgotten(run)) {
            underClaim(process, seen, run);
        }
        check(seen.successAt < 0 || isSilentlyForgotten(run), () -> seen + " begins though its success is recorded");
        if (simulation.oracle.isOrdered(seen.task.key)) {
            alone(process, seen, run, now);
            inOrder(process, seen, run, former);
        }
        seen.begun = true;
        running.put(run, new Running(process, run, seen));
    }

    /** No other handler of the key runs under a lease that its process believes in. */
    private void alone(SimProcess process, SeenTask seen, Run run, long now) {
        for (Running other : running.values()) {
            long until = other.process.simulationTime(other.run.leaseUntil());
            boolean excused = isSilentlyForgotten(other.run) || isSilentlyForgotten(run);
            boolean sameKey = seen.task.key.equals(other.seen.task.key)
                    && other.run.partition().equals(run.partition());
            check(
                    !sameKey || until < now || excused,
                    () -> seen + " begins at " + process + " while " + other.seen + " runs at " + other.process
                            + " until " + until);
        }
    }

    /** The store forgot the task's log. If it knew the claim, the outcome would count for another task. */
    private void underNoClaim(SeenTask seen, Run run) {
        StoredClaim claim = simulation.store.state(run.partition()).claim(seen.position);
        check(
                claim == null || claim.token() != run.token(),
                () -> seen + " begins under a claim of the task that has its position now");
    }

    private void inOrder(SimProcess process, SeenTask seen, Run run, boolean former) {
        PartitionBook book = books.book(run.partition());
        long last = book.tokens.getOrDefault(seen.task.key, 0L);
        check(
                run.token() > last || isSilentlyForgotten(run),
                () -> seen + " begins with token " + TraceFormat.token(run.token()) + " after "
                        + TraceFormat.token(last));
        book.tokens.merge(seen.task.key, run.token(), Math::max);
        if (!former && !seen.begun && !seen.forgotten.contains(run.token())) {
            // The task that a former owner relayed entered its lane in that ownership, not in the present one.
            order.starts(run.partition(), seen, relayed.contains(run) && book.owner != process);
        }
    }

    /** Its own claim stands; or that of the task of its key which ended here before it, and passes on to it. */
    private void underClaim(SimProcess process, SeenTask seen, Run run) {
        ModelPartition state = simulation.store.state(run.partition());
        StoredClaim own = state.claim(seen.position);
        StoredClaim claim = own != null && own.token() == run.token() ? own : null;
        if (claim == null && simulation.oracle.isOrdered(seen.task.key)) {
            PartitionBook book = books.book(run.partition());
            List<SeenTask> all = new ArrayList<>(book.byKey.get(seen.task.key));
            book.former.ofKey(seen.task.key).forEach(all::add);
            for (SeenTask other : all) {
                Long done = other.doneAt.get(process);
                boolean before = done != null && done < run.token();
                if (before && other.forgotten.contains(done)) {
                    if (books.silentlyForgotten.contains(done)) {
                        books.silentlyForgotten.add(run.token());
                    }
                    return;
                }
                StoredClaim its = before ? state.claim(other.position) : null;
                claim = its != null && its.token() == done ? its : claim;
            }
        }
        StoredClaim under = claim;
        check(
                under != null && under.executor().equals(process.id),
                () -> seen + " begins at " + process + " with token " + TraceFormat.token(run.token())
                        + " under the claim " + own);
        long lease = process.simulationTime(run.leaseUntil());
        long deadline = state.deadline(under) - SimStore.WALL;
        boolean lostLately = simulation.timeline.now() - books.lastLoss
                <= simulation.plan.settings().leaseMillis();
        check(
                deadline >= lease || lostLately,
                () -> seen + " has a lease until " + lease + " but its claim ends " + deadline);
    }

    void ends(SimProcess process, Run run, Outcome outcome) {
        Running ended = running.remove(run);
        relayed.remove(run);
        ordered.remove(run);
        if (ended != null && SimWorkers.endsPlainly(outcome)) {
            ended.seen.done = true;
            ended.seen.doneAt.merge(process, run.token(), Math::max);
        }
    }

    void leavesOut(SimProcess process, Run run) {
        SeenTask seen = books.ofRun(run);
        seen.done = true;
        seen.doneAt.merge(process, run.token(), Math::max);
        relayed.remove(run);
        ordered.remove(run);
    }

    /** Returns the tasks that a request has cancelled. None of them runs under a lease that its process believes in. */
    List<SeenTask> cancelled(TakeCustody request, CustodyTaken answer) {
        List<SeenTask> cancelled = new ArrayList<>();
        for (int i = 0; i < request.entries().size(); i++) {
            HandOver entry = request.entries().get(i);
            if (entry.move() instanceof Move.Cancel && answer.results().get(i) == HandOverResult.OK) {
                SeenTask seen = books.seen(request.partition(), entry.position());
                check(
                        running.values().stream().noneMatch(each -> each.seen == seen && isHeld(each)),
                        () -> seen + " is cancelled while it runs");
                cancelled.add(seen);
            }
        }
        return cancelled;
    }

    private boolean isHeld(Running run) {
        return run.process.simulationTime(run.run.leaseUntil()) >= simulation.timeline.now()
                && !isSilentlyForgotten(run.run);
    }

    void died(SimProcess process) {
        running.values().removeIf(each -> each.process == process);
    }
}
