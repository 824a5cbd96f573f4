package dev.tandem.ordering;

import dev.tandem.ordering.MessageGroups.Group;
import dev.tandem.ordering.QueueBook.Place;
import dev.tandem.ordering.QueueBook.Token;
import dev.tandem.ordering.SimQueueBroker.Message;
import dev.tandem.task.Envelope;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.StoredClaim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Checks the histories of a message queue. The core makes the positions here, so tasks are known by what they carry. What
 * is checked:
 *
 * <ul>
 *   <li><b>Exclusion</b> and <b>fencing</b>, as for logs.
 *   <li><b>Order.</b> When a task of a key starts for the first time, all of its key in its sub-queue that were published
 *       before it have ended (without those that waited for a time, or have a twin). While Redis
 *       forgets nothing, all that had begun have ended, whatever they waited for.
 *   <li><b>Custody.</b> An acked message's task has succeeded, or the store holds it even if it forgets all that it may
 *       forget. Of messages with one identity as many as were acked; of those with a message id one, for they are one.
 *   <li><b>Duplicates.</b> No task with a message id begins while the store knows of its success.
 *   <li><b>Runs.</b> Of a shared queue, none with a message id begins while another run of it stands in the store. (Both of
 *       these without runs that a process claimed before it knew that the broker had taken their messages back.)
 *   <li><b>Attempts.</b> Starts whose claims lapsed are counted, whoever owned the partition.
 *   <li>The store's state is sound in itself after every write.
 * </ul>
 */
final class QueueOracle extends Oracle {

    private final QueueBook book = new QueueBook();
    private final QueueRuns runs;
    /** Claims that succeed by the request that is being applied. */
    private final Set<Token> succeeding = new LinkedHashSet<>();
    /** Claims before the request that is being applied. */
    private final Set<Token> claims = new LinkedHashSet<>();
    /** The messages whose tasks the store holds. */
    private final Set<Token> handedOver = new HashSet<>();

    QueueOracle(Simulation simulation) {
        super(simulation);
        this.runs = new QueueRuns(simulation, this, book);
    }

    /** A task was published with this identity. */
    void named(SimTask task, String identity) {
        book.groups.add(task, identity);
    }

    // ---- the store ----

    @Override
    void asked(StoreRequest request, ModelPartition state) {
        succeeding.clear();
        claims.clear();
        handedOver.clear();
        Partition partition = request.partition();
        for (StoredClaim claim : state.claims()) {
            Token token = new Token(partition, claim.token());
            claims.add(token);
            if (state.holds(claim.position())) {
                handedOver.add(token);
            }
        }
        if (request instanceof StoreRequest.SettleLate late && late.settle().verdict() instanceof Verdict.Success) {
            Settle settle = late.settle();
            StoredClaim claim = state.claim(settle.position());
            if (claim != null && claim.token() == settle.token()) {
                succeeding.add(new Token(partition, settle.token()));
            }
        }
    }

    @Override
    void applied(long write, StoreRequest request, StoreAnswer answer, ModelPartition state) {
        if (request instanceof StoreRequest.SettleAndClaim step) {
            settled(write, step, (StoreAnswer.SettledAndClaimed) answer);
        } else if (answer instanceof StoreAnswer.LateSettled late && !late.recorded()) {
            succeeding.clear();
        }
        succeeding.forEach(token -> succeeded(write, token));
        Set<Token> after = claimed(write, request.partition(), state);
        if (request instanceof StoreRequest.TakeCustody hand) {
            handedOver(hand, state);
            cancelled(write, hand, (StoreAnswer.CustodyTaken) answer, state);
        }
        if (request instanceof StoreRequest.ExpireLeases) {
            lapsed(after);
        }
        for (Position dead : state.dead()) {
            book.ended.add(taskOf(request.partition(), state, dead));
        }
        checkSound(write, request, state);
    }

    /** The answers tell what was recorded: an outcome may follow in the request that brought its claim. */
    private void settled(long write, StoreRequest.SettleAndClaim request, StoreAnswer.SettledAndClaimed answer) {
        for (int i = 0; i < request.settles().size(); i++) {
            Settle settle = request.settles().get(i);
            SettleResult result = answer.settles().get(i);
            if (result instanceof SettleResult.Ok || result instanceof SettleResult.Next) {
                Token token = new Token(request.partition(), settle.token());
                book.claimedAt.putIfAbsent(token, write);
                if (settle.verdict() instanceof Verdict.Success) {
                    succeeding.add(token);
                }
            }
        }
    }

    private void succeeded(long write, Token token) {
        SimTask task = book.byToken.get(token);
        check(task != null, () -> "token " + TraceFormat.token(token.token()) + " succeeds, but never began");
        task.succeeded = true;
        book.ended.add(task);
        if (!book.staleTokens.contains(token)) {
            book.successAt.put(task, write);
        }
        book.groups.of(task).successes++;
    }

    /** Notes new claims. Returns all that stand now. */
    private Set<Token> claimed(long write, Partition partition, ModelPartition state) {
        Set<Token> after = new HashSet<>();
        for (StoredClaim claim : state.claims()) {
            Token token = new Token(partition, claim.token());
            Place place = new Place(partition, claim.position());
            boolean fresh = book.claimedAt.putIfAbsent(token, write) == null && !state.holds(claim.position());
            if (fresh && isStale(partition, claim.position(), claim.executor())) {
                book.stale.add(place);
            }
            if (book.stale.contains(place)) {
                book.staleTokens.add(token);
            }
            after.add(token);
        }
        return after;
    }

    private void handedOver(StoreRequest.TakeCustody request, ModelPartition state) {
        Partition partition = request.partition();
        for (StoreRequest.HandOver entry : request.entries()) {
            boolean delayed = entry.move() instanceof StoreRequest.Move.Schedule;
            if (delayed && state.holds(entry.position())) {
                book.scheduled.add(taskOf(partition, state, entry.position()));
            }
            boolean inLine = entry.move() instanceof StoreRequest.Move.JoinLine;
            if ((delayed || inLine) && isStale(partition, entry.position(), state.executor())) {
                book.stale.add(new Place(partition, entry.position()));
            }
        }
    }

    private void cancelled(
            long write, StoreRequest.TakeCustody request, StoreAnswer.CustodyTaken answer, ModelPartition state) {
        for (int i = 0; i < request.entries().size(); i++) {
            StoreRequest.HandOver entry = request.entries().get(i);
            boolean done = answer.results().get(i) == StoreAnswer.HandOverResult.OK;
            if (done && entry.move() instanceof StoreRequest.Move.Cancel) {
                Partition partition = request.partition();
                SimTask task = task(SimTask.idOf(
                        Envelope.decode(partition.queue(), entry.envelope()).task()));
                task.succeeded = true;
                book.ended.add(task);
                book.groups.of(task).successes++;
                if (!isStale(partition, entry.position(), state.executor())) {
                    book.successAt.put(task, write);
                }
            }
        }
    }

    private void lapsed(Set<Token> after) {
        for (Token token : claims) {
            SimTask task = book.byToken.get(token);
            // Without a message id, what the store holds already may run from the broker besides, as new.
            boolean counts = task != null && (book.groups.isNamed(task) || !handedOver.contains(token));
            if (!after.contains(token) && counts && !book.staleTokens.contains(token)) {
                book.lapses.merge(task, 1, Integer::sum);
            }
        }
    }

    private boolean isStale(Partition partition, Position position, String executor) {
        if (!simulation.plan.shared()) {
            return false;
        }
        SimTask task = task(Integer.parseInt(position.text().substring(1, 13)));
        return book.groups.isSingle(task) && !broker().isWith(simulation.process(executor), partition, task);
    }

    private SimQueueBroker broker() {
        return (SimQueueBroker) simulation.broker;
    }

    private SimTask taskOf(Partition partition, ModelPartition state, Position position) {
        return task(SimTask.idOf(storedTask(partition, state, position)));
    }

    private static Task storedTask(Partition partition, ModelPartition state, Position position) {
        return Envelope.decode(partition.queue(), state.envelope(position)).task();
    }

    @Override
    void forgot(long firstWrite, boolean silently) {
        book.lastLoss = simulation.timeline.now();
        book.successAt.values().removeIf(write -> write >= firstWrite);
        book.claimedAt.forEach((token, write) -> {
            if (write >= firstWrite) {
                book.forgotten.add(token);
                if (silently) {
                    book.silentlyForgotten.add(token);
                }
            }
        });
    }

    // ---- runs ----

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
    void died(SimProcess process) {
        runs.died(process);
    }

    // ---- acks ----

    @Override
    void commits(SimProcess process, Partition partition, long upTo, long position) {
        throw new AssertionError(process + " commits offset " + upTo + " of a message queue");
    }

    /** A process orders an ack. */
    void acks(SimProcess process, Message message) {
        SimTask task = message.task;
        Group group = book.groups.of(task);
        group.acked.add(task);
        List<SimTask> inStore = inStore(task.partition, simulation.store::sure);
        check(
                group.isKept(group.acked, inStore),
                () -> process + " acks " + task + ", which has not succeeded and is not sure to be held");
    }

    /** Returns what is held where messages of this partition may be. Of messages with the same content, one may be held twice. */
    List<SimTask> inStore(Partition of, Function<Partition, ModelPartition> store) {
        List<SimTask> inStore = new ArrayList<>();
        for (Partition partition : simulation.plan.shared() ? simulation.partitions() : List.of(of)) {
            ModelPartition state = store.apply(partition);
            state.inStore().forEach(position -> inStore.add(taskOf(partition, state, position)));
            state.dead().forEach(position -> inStore.add(taskOf(partition, state, position)));
        }
        return inStore;
    }

    // ---- the end ----

    @Override
    List<SimTask> lost() {
        List<SimTask> lost = new ArrayList<>();
        Map<Partition, List<SimTask>> inStore = new HashMap<>();
        for (Group group : book.groups.all()) {
            Partition partition = group.tasks.get(0).partition;
            List<SimTask> stored = inStore.computeIfAbsent(partition, p -> inStore(p, simulation.store::state));
            Set<SimTask> due = new HashSet<>(group.tasks);
            due.removeIf(broker()::has);
            if (!group.isKept(due, stored)) {
                lost.addAll(due);
            }
        }
        return lost;
    }

    @Override
    List<Position> unfinished() {
        List<Position> unfinished = new ArrayList<>();
        Set<Partition> partitions = new LinkedHashSet<>();
        tasks().forEach(task -> partitions.add(task.partition));
        if (simulation.plan.shared()) {
            partitions.addAll(simulation.partitions());
        }
        for (Partition partition : partitions) {
            ModelPartition state = simulation.store.state(partition);
            for (Position position : state.inStore()) {
                if (!isHalted(state, storedTask(partition, state, position).key())) {
                    unfinished.add(position);
                }
            }
        }
        return unfinished;
    }
}
