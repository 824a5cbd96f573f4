package dev.tandem.ordering;

import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.DueTasks;
import dev.tandem.task.store.StoreAnswer.OtherClaim;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreAnswer.SettledAndClaimed;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.AbandonPosition;
import dev.tandem.task.store.StoreRequest.Acquire;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.ClaimDue;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.SettleLate;
import dev.tandem.task.store.StoreRequest.TakeCustody;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.StoredClaim;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks the histories of a log. What is checked:
 *
 * <ul>
 *   <li><b>Exclusion.</b> When a handler begins, no other handler of its key runs under a lease that its process
 *       believes in; and the store has its claim, with a deadline not before the process's own.
 *   <li><b>Fencing.</b> The tokens of a key grow from start to start; none is used for two tasks.
 *   <li><b>Order</b>, by {@link LaneOrder}.
 *   <li><b>Custody</b>, by {@link LogCustody}.
 *   <li><b>Duplicates.</b> No handler begins while the store knows of a success of this position.
 *   <li>The store's state is sound in itself after every write; incarnations begin only when an operator made them.
 * </ul>
 */
final class LogOracle extends Oracle {

    private final LogBooks books;
    private final LanePlaces places;
    private final LogRuns runs;
    private final LogCustody custody;

    LogOracle(Simulation simulation, List<Partition> partitions) {
        super(simulation);
        this.books = new LogBooks(partitions);
        this.places = new LanePlaces(simulation, books);
        this.runs = new LogRuns(simulation, books);
        this.custody = new LogCustody(simulation, books);
    }

    @Override
    void operated(Partition partition) {
        books.book(partition).operated++;
    }

    @Override
    void cut(Partition partition) {
        books.book(partition).cuts++;
    }

    @Override
    void goesOn(SimProcess process, Partition partition, List<@Nullable SimTask> log) {
        PartitionBook book = books.book(partition);
        if (book.owner == process) {
            book.goesOn(book.incarnation, log);
        }
    }

    // ---- the store ----

    @Override
    void sends(StoreRequest request) {
        if (request instanceof ClaimDue due && due.busyKeys() != null) {
            PartitionBook book = books.book(due.partition());
            book.askedAt.put(due, book.nextPlace());
        }
    }

    @Override
    void asked(StoreRequest request, ModelPartition state) {
        PartitionBook book = books.book(request.partition());
        book.succeeding.clear();
        book.incarnationBefore = state.incarnation();
        if (request instanceof SettleLate late && late.settle().verdict() instanceof Verdict.Success) {
            Settle settle = late.settle();
            StoredClaim claim = state.claim(settle.position());
            SeenTask seen = books.find(request.partition(), settle.position());
            if (seen != null && claim != null && claim.token() == settle.token()) {
                book.succeeding.add(seen);
            }
        }
    }

    @Override
    void applied(long write, StoreRequest request, StoreAnswer answer, ModelPartition state) {
        Partition partition = request.partition();
        PartitionBook book = books.book(partition);
        for (SeenTask seen : book.succeeding) {
            long before = seen.successAt;
            succeeded(seen, write);
            seen.successAt = book.forgotIncarnation ? before : write;
        }
        if (request instanceof Acquire acquire) {
            acquired(partition, book, acquire, (Acquired) answer);
            books.keepBelowCut(partition, acquire, state);
        } else if (request instanceof SettleAndClaim step) {
            settledAndClaimed(write, step, (SettledAndClaimed) answer, state);
        } else if (request instanceof ClaimDue due) {
            claimedDue(partition, book, due, (DueTasks) answer, write);
        } else if (request instanceof TakeCustody hand) {
            places.parked(partition, book, state);
            runs.cancelled(hand, (StoreAnswer.CustodyTaken) answer).forEach(seen -> succeeded(seen, write));
        } else if (request instanceof AbandonPosition gone) {
            SeenTask given = books.find(partition, gone.position());
            if (given != null && !given.delivered && !state.holds(gone.position())) {
                // Its key no longer waits for its delivery, for which there may be no room. It enters when it comes.
                given.entered = -1;
            }
        } else if (answer instanceof StoreAnswer.LeasesExpired expired) {
            expired.waiting().forEach(blocked -> book.heads.add(blocked.head()));
        } else if (request instanceof SettleLate late) {
            settledLate(write, late, state);
        }
        if (request instanceof SettleAndClaim || request instanceof TakeCustody || request instanceof SettleLate) {
            for (Position dead : state.dead()) {
                books.seen(partition, dead).ended = true;
            }
        }
        check(state.keepsEverySuccess(), () -> "nothing is kept of some success");
        check(state.faults().isEmpty(), () -> "the store is at fault: " + state.faults());
    }

    private static void succeeded(SeenTask seen, long write) {
        seen.ended = true;
        seen.task.succeeded = true;
        seen.successAt = write;
    }

    private void settledAndClaimed(long write, SettleAndClaim request, SettledAndClaimed answer, ModelPartition state) {
        Partition partition = request.partition();
        for (int i = 0; i < request.settles().size(); i++) {
            Settle settle = request.settles().get(i);
            SettleResult result = answer.settles().get(i);
            boolean recorded = result instanceof SettleResult.Ok || result instanceof SettleResult.Next;
            if (recorded && settle.verdict() instanceof Verdict.Success) {
                succeeded(books.seen(partition, settle.position()), write);
            }
            relayed(partition, settle.then(), state, write);
            SeenTask settled = books.book(partition).seen.get(settle.position());
            if (settle.verdict() instanceof Verdict.Returned && settled != null && !settled.begun) {
                LanePlaces.returned(state, settled);
            }
            if (result instanceof SettleResult.Next next) {
                claimed(partition, next.position(), settle.nextToken(), write);
            }
        }
        for (int i = 0; i < request.claims().size(); i++) {
            Claim claim = request.claims().get(i);
            if (answer.claims().get(i) instanceof ClaimResult.Ok) {
                claimed(partition, claim.position(), claim.token(), write);
            }
        }
    }

    private void settledLate(long write, SettleLate late, ModelPartition state) {
        Partition partition = late.partition();
        SeenTask seen = books.find(partition, late.settle().position());
        if (late.settle().verdict() instanceof Verdict.Returned && seen != null && !seen.begun) {
            // A claim that was never used gives no place.
            places.forgetUnlessStored(partition, seen);
        }
        Claim then = late.settle().then();
        if (relayed(partition, then, state, write)) {
            // It heads its key now, before all that the new owner parked.
            books.seen(partition, then.position()).entered = 0;
        }
    }

    /** Looks whether an outcome brought the claim that it was to bring. */
    private boolean relayed(Partition partition, @Nullable Claim then, ModelPartition state, long write) {
        StoredClaim claim = then == null ? null : state.claim(then.position());
        boolean brought = then != null && claim != null && claim.token() == then.token();
        if (brought) {
            claimed(partition, then.position(), then.token(), write);
        }
        return brought;
    }

    /**
     * A task that is claimed without having been offered, though nothing blocks its key, has its place since its owner asked:
     * what the owner was given of its key since then waits for the answer.
     */
    private void claimedDue(Partition partition, PartitionBook book, ClaimDue request, DueTasks answer, long write) {
        long asked = book.askedAt.getOrDefault(request, book.entries);
        for (DueTask task : answer.claimed()) {
            SeenTask seen = books.seen(partition, task.position());
            boolean enters = seen.entered < 0 && !task.head();
            claimed(partition, task.position(), task.token(), write);
            if (enters) {
                seen.knownEarlier = LanePlaces.earlier(seen.knownEarlier, asked);
            }
        }
    }

    private void claimed(Partition partition, Position position, long token, long write) {
        SeenTask seen = books.claimed(partition, position, token);
        PartitionBook book = books.book(partition);
        Position other = book.claimed.putIfAbsent(token, position);
        check(
                other == null || other.equals(position),
                () -> position + " is claimed under the token of " + other + ", " + TraceFormat.token(token));
        seen.token = token;
        seen.claimedAt = write;
        book.enter(seen);
        check(seen.successAt < 0, () -> seen + " is claimed though its success is recorded");
    }

    private void acquired(Partition partition, PartitionBook book, Acquire acquire, Acquired acquired) {
        long incarnation = acquired.incarnation();
        SimProcess owner = simulation.process(acquire.executor());
        if (incarnation != book.incarnationBefore && acquire.cut() != Acquire.NO_CUT && book.cuts > 0) {
            book.operated++;
        }
        check(
                incarnation <= book.operated,
                () -> "incarnation " + incarnation + " of " + partition + " began though nobody made it");
        book.begin(incarnation, log(partition, book, acquire, acquired), acquire.committed());
        book.epoch = acquired.epoch();
        book.heads.clear();
        acquired.blocked().forEach(blocked -> book.heads.add(blocked.head()));
        book.highWater = acquired.highWater();
        if (book.owner != owner) {
            book.forgotAndTaken |= books.lastLoss >= 0;
            places.ownedBy(partition, book, owner);
        }
        // Claims that were never used may have made way for those that are presented.
        for (SeenTask seen : book.seen.values()) {
            if (!seen.begun) {
                places.forgetUnlessStored(partition, seen);
            }
        }
        for (PresentedClaim presented : acquire.presented()) {
            if (acquired.presentedTokens().contains(presented.token())) {
                SeenTask seen = books.claimed(partition, presented.position(), presented.token());
                // Whatever the store forgot: it runs, or is to, so it is first.
                seen.entered = seen.entered < 0 ? 0 : seen.entered;
                seen.knownEarlier = 0;
            }
        }
        for (OtherClaim claim : acquired.otherClaims()) {
            // Their key waits for them, whether they have begun or not.
            SeenTask seen = books.seen(partition, claim.position());
            book.enter(seen);
            seen.knownEarlier = 0;
        }
    }

    /** The log of an incarnation: if it began just now, the one that its owner knows. */
    private List<@Nullable SimTask> log(Partition partition, PartitionBook book, Acquire acquire, Acquired acquired) {
        ConsumedPartition known =
                simulation.process(acquire.executor()).consumed.get(partition);
        List<@Nullable SimTask> itsLog = known != null
                        && known.log != null
                        && simulation.broker.sourceId(partition).equals(acquire.sourceId())
                ? known.log
                : simulation.broker.log(partition, acquire.sourceId());
        List<@Nullable SimTask> before = book.logs.get(acquired.incarnation());
        if (before == null || acquired.incarnation() != book.incarnationBefore) {
            return itsLog;
        }
        if (SimCuts.divergence(before, itsLog) >= acquired.highWater()) {
            book.goesOn(acquired.incarnation(), itsLog);
            return itsLog;
        }
        return before;
    }

    @Override
    void forgot(long firstWrite, boolean silently) {
        books.lastLoss = simulation.timeline.now();
        if (silently) {
            runs.silentlyForgotten();
        }
        books.forEach((partition, book) -> {
            for (SeenTask seen : book.seen.values()) {
                places.forgot(partition, seen);
                if (seen.successAt >= firstWrite) {
                    seen.successAt = -1;
                }
                if (seen.claimedAt >= firstWrite) {
                    seen.forgotten.add(seen.token);
                    if (silently) {
                        books.silentlyForgotten.add(seen.token);
                    }
                }
            }
        });
        books.forEach(places::parkedAgain);
        if (silently) {
            books.forEach((partition, book) -> book.tokens.values().removeIf(books.silentlyForgotten::contains));
        }
    }

    @Override
    void answered(SimProcess process, StoreRequest request, StoreAnswer answer) {
        if (answer instanceof DueTasks tasks) {
            places.offered(process, (ClaimDue) request, tasks);
        }
    }

    // ---- a process and its partitions ----

    @Override
    void delivered(SimProcess process, Partition partition, List<SimTask> delivered) {
        places.delivered(process, partition, delivered);
    }

    @Override
    void recalled(SimProcess process, Partition partition, List<SimTask> records) {
        places.recalled(process, partition, records);
    }

    @Override
    void declines(SimProcess process, StoreRequest.DeclineOffers request) {
        places.declined(process, request);
    }

    @Override
    void turned(SimProcess process) {
        super.turned(process);
        process.assigned().forEach(partition -> places.passedOver(process, partition));
    }

    @Override
    void forgetsLanes(SimProcess process, Partition partition) {
        places.forgetsLanes(process, partition);
    }

    @Override
    void left(SimProcess process, Partition partition) {
        places.left(process, partition);
    }

    @Override
    void died(SimProcess process) {
        runs.died(process);
    }

    // ---- runs and commits ----

    @Override
    void starts(SimProcess process, Run run) {
        super.starts(process, run);
        runs.starts(run);
    }

    @Override
    void begins(SimProcess process, Run run) {
        runs.begins(process, run);
    }

    @Override
    void leavesOut(SimProcess process, Run run) {
        runs.leavesOut(process, run);
    }

    @Override
    void ends(SimProcess process, Run run, Outcome outcome) {
        runs.ends(process, run, outcome);
    }

    @Override
    void commits(SimProcess process, Partition partition, long upTo, long position) {
        custody.commits(process, partition, upTo, position);
    }

    // ---- the end ----

    @Override
    List<SimTask> lost() {
        return custody.lost(tasks());
    }

    @Override
    List<Position> unfinished() {
        return custody.unfinished();
    }
}
