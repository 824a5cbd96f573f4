package dev.tandem.ordering;

import dev.tandem.ordering.SimQueueBroker.Message;
import dev.tandem.task.Envelope;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.StoredClaim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Holds a queue's histories against the guarantees. Positions are the core's own here, so tasks are known by what they
 * carry. What is checked:
 *
 * <ul>
 *   <li><b>Exclusion</b> and <b>fencing</b>, as for logs.
 *   <li><b>Order.</b> When a task of a key starts for the first time, all of its key in its sub-queue that were published
 *       before it have ended (without those that waited for a time, or have a twin). While Redis
 *       forgets nothing, all that had begun have ended, whatever they waited for.
 *   <li><b>Custody.</b> An acked message's task has succeeded, or the store holds it even if it forgets all that it may
 *       forget. Of messages with one identity as many as were acked; of those with a message id one, for they are one.
 *   <li><b>Duplicates.</b> No task with a message id begins while the store knows of its success.
 *   <li><b>Runs.</b> Of a shared queue, none with a message id begins while another run of it stands in the store. (Both of these
 *       without runs that a process claimed before it knew that the broker had taken their messages back.)
 *   <li><b>Attempts.</b> Starts whose claims lapsed are counted, whoever owned the partition.
 *   <li>The store's state is sound in itself after every write.
 * </ul>
 */
final class QueueOracle extends LogOracle {

    /** Messages of one identity. */
    private static final class Group {
        final List<SimTask> recs = new ArrayList<>();
        final Set<SimTask> acked = new HashSet<>();
        int successes;
        final boolean named;

        Group(boolean named) {
            this.named = named;
        }
    }

    private record Running(SimProcess proc, Run run, SimTask rec) {}

    /** A run that succeeded, whether that was recorded or not. */
    private record Done(SimProcess proc, Position position, long token) {}

    private record Lane(Partition partition, String key) {}

    private record Place(Partition partition, Position position) {
        static Place of(Run run) {
            return new Place(run.partition(), run.position());
        }
    }

    private record Token(Partition partition, long token) {
        static Token of(Run run) {
            return new Token(run.partition(), run.token());
        }
    }

    private static final long NEVER_LOST = Long.MIN_VALUE / 2;

    private final Simulation world;
    private final Map<String, Group> groups = new HashMap<>();
    private final Map<SimTask, Group> groupOf = new HashMap<>();
    private final Map<Token, SimTask> byToken = new HashMap<>();
    private final Map<Token, Long> claimedAt = new HashMap<>();
    private final Set<Token> forgotten = new HashSet<>();
    private final Set<Token> silentlyForgotten = new HashSet<>();
    private final Map<SimTask, Long> successAt = new HashMap<>();
    /** What a process claimed or scheduled when the broker had taken the message back already, and it did not know yet. */
    private final Set<Place> stale = new HashSet<>();

    private final Set<Token> staleTokens = new HashSet<>();
    private final Set<SimTask> begun = new HashSet<>();
    /** The store was given them with their delay. */
    private final Set<SimTask> scheduled = new HashSet<>();

    private final Set<SimTask> ended = new HashSet<>();
    private final Map<SimTask, Integer> lapses = new HashMap<>();
    private final Map<Lane, Long> tokens = new HashMap<>();
    private final Map<Run, Running> running = new LinkedHashMap<>();
    private final Map<Lane, List<Done>> done = new HashMap<>();
    private final Set<Token> succeeding = new LinkedHashSet<>();
    private final Set<Token> claims = new LinkedHashSet<>();
    private final Set<Token> handedOver = new HashSet<>();
    private long lastLoss = NEVER_LOST;

    QueueOracle(Simulation world, List<Partition> partitions) {
        super(world, partitions);
        this.world = world;
    }

    void named(SimTask rec, String identity) {
        Group group = groups.computeIfAbsent(identity, i -> new Group(identity.charAt(0) == 'm'));
        group.recs.add(rec);
        groupOf.put(rec, group);
    }

    private boolean single(SimTask rec) {
        return groupOf.get(rec).recs.size() == 1;
    }

    private boolean ordered(@Nullable String key) {
        return key != null && world.plan.policy().ordered();
    }

    // ---- the store ----

    @Override
    void asked(StoreRequest request, ModelPartition state) {
        succeeding.clear();
        claims.clear();
        Partition partition = request.partition();
        handedOver.clear();
        for (StoredClaim claim : state.claims()) {
            Token token = new Token(partition, claim.token());
            claims.add(token);
            if (state.holds(claim.position())) {
                handedOver.add(token);
            }
        }
        if (request instanceof StoreRequest.SettleLate late) {
            Settle settle = late.settle();
            StoredClaim claim = state.claim(settle.position());
            if (settle.verdict() instanceof Verdict.Success && claim != null && claim.token() == settle.token()) {
                succeeding.add(new Token(partition, settle.token()));
            }
        }
    }

    /** Its answers tell what it recorded: an outcome may follow in the request that brought its claim. */
    private void stepped(long write, StoreRequest.SettleAndClaim step, StoreAnswer.SettledAndClaimed answer) {
        for (int i = 0; i < step.settles().size(); i++) {
            Settle settle = step.settles().get(i);
            StoreAnswer.SettleResult code = answer.settles().get(i);
            boolean recorded =
                    code instanceof StoreAnswer.SettleResult.Ok || code instanceof StoreAnswer.SettleResult.Next;
            if (recorded) {
                Token token = new Token(step.partition(), settle.token());
                claimedAt.putIfAbsent(token, write);
                if (settle.verdict() instanceof Verdict.Success) {
                    succeeding.add(token);
                }
            }
        }
    }

    @Override
    void applied(long write, StoreRequest request, StoreAnswer answer, ModelPartition state) {
        if (request instanceof StoreRequest.SettleAndClaim step) {
            stepped(write, step, (StoreAnswer.SettledAndClaimed) answer);
        } else if (answer instanceof StoreAnswer.LateSettled late && !late.recorded()) {
            succeeding.clear();
        }
        for (Token token : succeeding) {
            SimTask rec = byToken.get(token);
            that(rec != null, () -> "token " + TraceFormat.token(token.token()) + " succeeds, but never began");
            rec.succeeded = true;
            ended.add(rec);
            if (!staleTokens.contains(token)) {
                successAt.put(rec, write);
            }
            groupOf.get(rec).successes++;
        }
        Set<Token> after = new HashSet<>();
        Partition partition = request.partition();
        for (StoredClaim claim : state.claims()) {
            Token token = new Token(partition, claim.token());
            boolean fresh = claimedAt.putIfAbsent(token, write) == null && !state.holds(claim.position());
            if (fresh && isStale(partition, claim.position(), claim.executor())) {
                stale.add(new Place(partition, claim.position()));
            }
            if (stale.contains(new Place(partition, claim.position()))) {
                staleTokens.add(token);
            }
            after.add(token);
        }
        if (request instanceof StoreRequest.TakeCustody hand) {
            for (StoreRequest.HandOver entry : hand.entries()) {
                boolean delayed = entry.move() instanceof StoreRequest.Move.Schedule;
                if (delayed && state.holds(entry.position())) {
                    scheduled.add(recOf(partition, state, entry.position()));
                }
                if (delayed && isStale(partition, entry.position(), state.executor())) {
                    stale.add(new Place(partition, entry.position()));
                }
            }
        }
        if (request instanceof StoreRequest.ExpireLeases) {
            for (Token token : claims) {
                SimTask rec = byToken.get(token);
                // Without a message id, what the store holds already may run from the broker besides, as new.
                boolean counts = rec != null && (groupOf.get(rec).named || !handedOver.contains(token));
                if (!after.contains(token) && counts && !staleTokens.contains(token)) {
                    lapses.merge(rec, 1, Integer::sum);
                }
            }
        }
        for (Position dead : state.dead()) {
            ended.add(recOf(request.partition(), state, dead));
        }
        that(state.faults().isEmpty(), () -> "the store is at fault: " + state.faults());
    }

    private boolean isStale(Partition partition, Position position, String executor) {
        if (!world.plan.shared()) {
            return false;
        }
        SimTask rec = rec(Integer.parseInt(position.text().substring(1, 13)));
        return single(rec) && !((SimQueueBroker) world.broker).isWith(world.proc(executor), partition, rec);
    }

    private SimTask recOf(Partition partition, ModelPartition state, Position position) {
        return rec(SimTask.idOf(task(partition, state, position)));
    }

    private static Task task(Partition partition, ModelPartition state, Position position) {
        return Envelope.decode(partition.queue(), state.envelope(position)).task();
    }

    @Override
    void forgot(long firstWrite, boolean silently) {
        lastLoss = world.timeline.now();
        successAt.values().removeIf(write -> write >= firstWrite);
        claimedAt.forEach((token, write) -> {
            if (write >= firstWrite) {
                forgotten.add(token);
                if (silently) {
                    silentlyForgotten.add(token);
                }
            }
        });
    }

    @Override
    void forgetsLanes(SimProcess proc, Partition partition) {}

    @Override
    void left(SimProcess proc, Partition partition) {}

    @Override
    void heard(SimProcess proc, StoreRequest request, StoreAnswer answer) {}

    // ---- runs ----

    @Override
    void begins(SimProcess proc, Run run) {
        super.begun++;
        long now = world.timeline.now();
        Partition partition = run.partition();
        SimTask rec = rec(SimTask.idOf(run.task()));
        Group group = groupOf.get(rec);
        that(!rec.unreadable, () -> rec + " can't be read, but is run");
        that(rec.notBefore <= SimStore.WALL + now, () -> rec + " begins before it is due");
        that(
                !group.named
                        || !single(rec)
                        || !successAt.containsKey(rec)
                        || stale.contains(Place.of(run))
                        || world.plan.losses() && world.plan.silentLosses(),
                () -> rec + " begins though its success is recorded");
        once(proc, run, rec);
        claimStands(proc, run, rec, now);
        that(
                world.plan.losses()
                        || !single(rec)
                        || !group.named
                                && (ended.contains(rec)
                                        || inStore(partition, world.store::state)
                                                .contains(rec))
                        || run.attempt() > lapses.getOrDefault(rec, 0),
                () -> rec + " begins its attempt " + run.attempt() + " after " + lapses.get(rec) + " lapses");
        if (ordered(rec.key)) {
            alone(proc, run, rec, now);
            Lane lane = new Lane(partition, rec.key);
            long last = tokens.getOrDefault(lane, 0L);
            that(
                    run.token() > last || silentlyForgotten.contains(Token.of(run)),
                    () -> rec + " begins with token " + TraceFormat.token(run.token()) + " after "
                            + TraceFormat.token(last));
            tokens.merge(lane, run.token(), Math::max);
            if (!begun.contains(rec) && !forgotten.contains(Token.of(run))) {
                inOrder(rec);
            }
        }
        begun.add(rec);
        byToken.put(Token.of(run), rec);
        running.put(run, new Running(proc, run, rec));
    }

    /** A run whose claim stands is not overtaken by another of the same task. */
    private void once(SimProcess proc, Run run, SimTask rec) {
        if (!world.plan.shared() || world.plan.losses() || !groupOf.get(rec).named || !single(rec)) {
            return;
        }
        for (Running other : running.values()) {
            if (other.rec == rec && !stale.contains(Place.of(other.run)) && !stale.contains(Place.of(run))) {
                StoredClaim claim = world.store.state(other.run.partition()).claim(other.run.position());
                that(
                        claim == null || claim.token() != other.run.token(),
                        () -> rec + " begins at " + proc + " while it runs at " + other.proc);
            }
        }
    }

    /** Its own claim stands; or that of the task of its key which ended here before it, and passes on to it. */
    private void claimStands(SimProcess proc, Run run, SimTask rec, long now) {
        if (forgotten.contains(Token.of(run))) {
            return;
        }
        ModelPartition state = world.store.state(run.partition());
        StoredClaim own = state.claim(run.position());
        StoredClaim claim = own != null && own.token() == run.token() ? own : null;
        if (claim == null && ordered(rec.key)) {
            for (Done each : done.getOrDefault(new Lane(run.partition(), rec.key), List.of())) {
                boolean before = each.proc == proc && each.token < run.token();
                Token token = new Token(run.partition(), each.token);
                if (before && forgotten.contains(token)) {
                    if (silentlyForgotten.contains(token)) {
                        silentlyForgotten.add(Token.of(run));
                    }
                    return;
                }
                StoredClaim its = before ? state.claim(each.position) : null;
                claim = its != null && its.token() == each.token ? its : claim;
            }
        }
        StoredClaim under = claim;
        long lease = proc.worldTime(run.leaseUntil());
        that(
                under != null && under.executor().equals(proc.id),
                () -> rec + " begins at " + proc + " with token " + TraceFormat.token(run.token()) + " under the claim "
                        + own);
        that(
                under.deadline() - SimStore.WALL >= lease
                        || now - lastLoss <= world.plan.settings().leaseMillis(),
                () -> rec + " has a lease until " + lease + " but its claim ends "
                        + (under.deadline() - SimStore.WALL));
    }

    private void alone(SimProcess proc, Run run, SimTask rec, long now) {
        for (Running other : running.values()) {
            boolean believes = other.proc.worldTime(other.run.leaseUntil()) >= now;
            boolean excused =
                    silentlyForgotten.contains(Token.of(other.run)) || silentlyForgotten.contains(Token.of(run));
            boolean same =
                    rec.key.equals(other.rec.key) && other.run.partition().equals(run.partition());
            that(
                    !same || !believes || excused,
                    () -> rec + " begins at " + proc + " while " + other.rec + " runs at " + other.proc + " until "
                            + other.proc.worldTime(other.run.leaseUntil()));
        }
    }

    private void inOrder(SimTask rec) {
        // What comes again with its delay over has its place by the broker, whatever was begun while it was not due.
        boolean byBroker = rec.notBefore > 0 && (!scheduled.contains(rec) || !groupOf.get(rec).named);
        if (lastLoss == NEVER_LOST && single(rec) && !byBroker) {
            for (SimTask other : recs()) {
                boolean open = other != rec && begun.contains(other) && !ended.contains(other) && single(other);
                boolean ofLane = other.partition.equals(rec.partition) && rec.key.equals(other.key);
                that(!open || !ofLane, () -> rec + " starts before " + other + " has ended, which had begun");
            }
        }
        if (rec.notBefore != 0 || !single(rec)) {
            return;
        }
        for (SimTask earlier : recs()) {
            boolean before = earlier.partition.equals(rec.partition)
                    && rec.key.equals(earlier.key)
                    && earlier.offset < rec.offset;
            if (before && !earlier.unreadable && earlier.notBefore == 0 && single(earlier)) {
                that(ended.contains(earlier), () -> rec + " starts before " + earlier + " has ended");
            }
        }
    }

    @Override
    void ends(SimProcess proc, Run run, Outcome outcome) {
        Running over = running.remove(run);
        if (over != null && outcome instanceof Outcome.Succeeded) {
            // Whether that was recorded or not.
            ended.add(over.rec);
            done.computeIfAbsent(new Lane(run.partition(), over.rec.key), l -> new ArrayList<>())
                    .add(new Done(proc, run.position(), run.token()));
        }
    }

    @Override
    void died(SimProcess proc) {
        running.values().removeIf(r -> r.proc == proc);
    }

    // ---- acks ----

    /** A process orders an ack. */
    void acks(SimProcess proc, Message message) {
        SimTask rec = message.rec;
        Group group = groupOf.get(rec);
        group.acked.add(rec);
        Set<SimTask> inStore = inStore(rec.partition, world.store::sure);
        that(
                isKept(group, group.acked, inStore),
                () -> proc + " acks " + rec + ", which has not succeeded and is not sure to be held");
    }

    private static boolean isKept(Group group, Set<SimTask> due, Set<SimTask> inStore) {
        if (group.recs.size() == 1) {
            return due.stream().allMatch(rec -> rec.succeeded || inStore.contains(rec));
        }
        long kept =
                group.successes + group.recs.stream().filter(inStore::contains).count();
        return kept >= (group.named ? Math.min(1, due.size()) : due.size());
    }

    /** What is held where messages of this partition may be. */
    private Set<SimTask> inStore(Partition of, Function<Partition, ModelPartition> store) {
        Set<SimTask> inStore = new HashSet<>();
        for (Partition partition : world.plan.shared() ? world.partitions() : List.of(of)) {
            ModelPartition state = store.apply(partition);
            state.inStore().forEach(position -> inStore.add(recOf(partition, state, position)));
            state.dead().forEach(position -> inStore.add(recOf(partition, state, position)));
        }
        return inStore;
    }

    // ---- the end ----

    @Override
    List<SimTask> lost() {
        List<SimTask> lost = new ArrayList<>();
        Map<Partition, Set<SimTask>> inStore = new HashMap<>();
        for (Group group : groups.values()) {
            Partition partition = group.recs.get(0).partition;
            Set<SimTask> stored = inStore.computeIfAbsent(partition, p -> inStore(p, world.store::state));
            Set<SimTask> due = new HashSet<>(group.recs);
            due.removeIf(rec -> ((SimQueueBroker) world.broker).has(rec));
            if (!isKept(group, due, stored)) {
                lost.addAll(due);
            }
        }
        return lost;
    }

    @Override
    List<Position> unfinished() {
        List<Position> unfinished = new ArrayList<>();
        Set<Partition> partitions = new LinkedHashSet<>();
        recs().forEach(rec -> partitions.add(rec.partition));
        if (world.plan.shared()) {
            partitions.addAll(world.partitions());
        }
        for (Partition partition : partitions) {
            ModelPartition state = world.store.state(partition);
            for (Position position : state.inStore()) {
                String key = task(partition, state, position).key();
                StoreAnswer.BlockedKey blocked = ordered(key) ? state.blocked(key) : null;
                if (blocked == null || blocked.reason() != StoreAnswer.BlockReason.HALTED) {
                    unfinished.add(position);
                }
            }
        }
        return unfinished;
    }
}
