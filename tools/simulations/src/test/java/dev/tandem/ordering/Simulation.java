package dev.tandem.ordering;

import dev.tandem.task.CustodyBounds;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.UnhandledSince;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreModel.Flaw;
import dev.tandem.task.store.StoreRoom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One seeded history: executors, a broker, a store and the faults of all of them, until the faults end and all comes to
 * rest. The same seed makes the same history.
 */
final class Simulation {

    private static final int UNHANDLED_PERCENT = 15;

    private static final int EXPIRED_PERCENT = 2;

    /** Instead of being unhandled. */
    private static final int SNOOZED_OF_THEM_PERCENT = 30;

    HistoryPlan plan;
    final SeededRandom random;
    final Timeline timeline = new Timeline(1_000);
    final BehaviourDigest digest = new BehaviourDigest();
    final Oracle oracle;
    final SimStore store;
    final SimLogBroker broker;
    final SimCuts cuts;

    /** For what came later, so that all else stays as it was. */
    private final SeededRandom pace;

    private final @Nullable List<String> trace;
    private final List<Partition> partitions = new ArrayList<>();
    private final List<SimProcess> processes = new ArrayList<>();
    private final SimFaults faults;
    private int started;
    private boolean faultsEnded;
    private boolean fills;
    private boolean halfFills;
    private boolean logsAreCut;
    private boolean typesAreUnknown;
    private @Nullable SimTenants tenants;
    /** The limits of what the store may hold of one partition. */
    CustodyBounds custody = CustodyBounds.DEFAULTS;

    /** @param shared whether all partitions compete for one queue's messages */
    Simulation(Source.Kind kind, boolean shared, long seed, Set<Flaw> flaws, @Nullable List<String> trace) {
        boolean log = kind == Source.Kind.LOG;
        this.random = new SeededRandom(seed);
        this.pace = new SeededRandom(seed * 31 + 11);
        HistoryPlan any = HistoryPlan.of(random, new SeededRandom(~seed), pace.percent(6));
        this.plan = log ? any : shared ? any.forSharedQueue(random) : any.forQueue();
        this.trace = trace;
        for (int i = 0; i < plan.partitions(); i++) {
            partitions.add(Partition.of("q", i));
        }
        this.oracle = log ? new LogOracle(this, partitions) : new QueueOracle(this);
        this.store = new SimStore(timeline, plan.settings().horizonMillis(), oracle, flaws);
        this.broker = log ? new SimLogBroker(this, partitions) : new SimQueueBroker(this, partitions);
        this.faults = new SimFaults(this);
        this.cuts = new SimCuts(this, new SeededRandom(seed * 31 + 7));
        if (plan.losses() || random.percent(50)) {
            partitions.forEach(this::ownedBefore);
        }
    }

    private void ownedBefore(Partition partition) {
        boolean log = plan.kind() == Source.Kind.LOG;
        Source.Facts facts = log ? new Source.Facts(0, "topic-1", 0, 0) : Source.Facts.NONE;
        store.ownedBefore(partition, plan.settings().leaseMillis(), facts);
    }

    /** @throws AssertionError if a guarantee is broken */
    void run() {
        trace(plan::toString);
        for (int i = 0; i < plan.processes(); i++) {
            start();
        }
        publish(random.between(1, 8));
        for (int i = 0; i < plan.steps(); i++) {
            if (random.percent(plan.chaosPercent()) || !timeline.step()) {
                faults.strike();
            }
            if (logsAreCut) {
                cuts.strike(faults);
            }
        }
        endFaults();
        new SimRest(this).await();
    }

    boolean haveFaultsEnded() {
        return faultsEnded;
    }

    boolean hasUnknownTypes() {
        return typesAreUnknown;
    }

    /** Executors have no handler for the types of some tasks, at times. */
    Simulation withUnknownTypes() {
        typesAreUnknown = true;
        return this;
    }

    /**
     * Fills the store's memory every other second, until the faults end. Half a second before, it says that it has no more
     * room. In half of the histories, it may hold a few tasks only. Now and then, processes may start few tasks.
     */
    Simulation withStoreThatFills() {
        fills = true;
        if (random.percent(50)) {
            custody = new CustodyBounds(random.between(1, 12), 1 << 20);
        }
        tellRoom();
        return this;
    }

    /** Says for every other two seconds, until the faults end, that less than half of the store's memory is left. */
    Simulation withStoreThatHalfFills() {
        halfFills = true;
        tellHalf();
        return this;
    }

    /** Tasks have tenants, and come in bursts. */
    Simulation withTenants(long seed) {
        tenants = new SimTenants(new SeededRandom(seed * 31 + 13));
        plan = tenants.plan(plan);
        return this;
    }

    /** Lets logs lose their last records until the faults end. The store may always forget its last writes then. */
    Simulation withCuts() {
        logsAreCut = true;
        for (Partition partition : partitions) {
            if (store.state(partition).executor() == null) {
                ownedBefore(partition);
            }
        }
        return this;
    }

    boolean storeIsFull() {
        return fills && !faultsEnded && timeline.now() / 1_000 % 2 == 1;
    }

    boolean storeFills() {
        return fills || halfFills;
    }

    StoreRoom storeRoom() {
        if (!faultsEnded && fills && timeline.now() / 500 % 4 != 0) {
            return StoreRoom.NONE;
        }
        return !faultsEnded && halfFills && timeline.now() / 2_000 % 2 != 0 ? StoreRoom.SOME : StoreRoom.HALF;
    }

    private void tellHalf() {
        processes.forEach(process -> process.links().forEach(SimStoreLink::tellRoom));
        if (!faultsEnded) {
            timeline.in(2_000, this::tellHalf);
        }
    }

    private void tellRoom() {
        for (SimProcess process : processes) {
            process.links().forEach(SimStoreLink::tellRoom);
            limitStarts(process, faultsEnded ? -1 : random.between(-3, 2));
        }
        if (!faultsEnded) {
            timeline.in(500, this::tellRoom);
        }
    }

    /** @param starts negative: no limit */
    private static void limitStarts(SimProcess process, int starts) {
        process.post(() -> {
            if (starts < 0) {
                process.core.unlimitStarts();
            } else {
                process.core.limitStarts(starts);
            }
        });
    }

    // ---- tasks and processes ----

    void publish(int count) {
        int burst = tenants == null ? 1 : tenants.burst();
        for (int i = 0; i < (plan.quick() ? 8 * count : burst * count); i++) {
            Partition partition = random.any(partitions);
            if (random.percent(plan.gapPercent())) {
                broker.gap(partition);
            }
            String key = random.percent(plan.unkeyedPercent()) ? null : "k" + random.below(plan.keys());
            key = tenants == null ? key : tenants.key(key);
            long notBefore = random.percent(plan.delayedPercent())
                    ? SimStore.WALL + timeline.now() + random.delay(300, 6_000) - 20
                    : 0;
            boolean unreadable = random.percent(plan.unreadablePercent());
            SimTask task = oracle.publish(partition, key, broker.end(partition), notBefore, unreadable);
            if (tenants != null) {
                tenants.name(task);
            }
            trace(() -> "published " + task + " at " + partition.name() + ":" + task.offset
                    + (notBefore == 0 ? "" : " not before " + (notBefore - SimStore.WALL))
                    + (unreadable ? " unreadable" : ""));
            broker.publish(task);
        }
    }

    void start() {
        String id = "p" + ++started;
        SimProcess process = plan.kind() == Source.Kind.LOG ? new SimProcess(this, id) : new QueueSimProcess(this, id);
        processes.add(process);
        trace(() -> process + " starts");
        broker.join(process);
    }

    /** A process has ended in good order. */
    void ended(SimProcess process) {
        trace(() -> process + " has ended");
        broker.gone(process);
    }

    /** Tells the owner, most times, that another process changed something of its partition in the store. */
    void wakeOwner(Partition partition) {
        for (SimProcess process : processes) {
            boolean owner = process.id.equals(store.state(partition).executor());
            if (owner && process.alive() && random.percent(70)) {
                timeline.in(random.delay(3, 50), () -> process.links().forEach(SimStoreLink::woken));
            }
        }
    }

    // ---- handlers ----

    /** How long a run waits for a worker. */
    long pickUpMillis() {
        return isAtOnce() ? 0 : random.delay(1, 3_000);
    }

    private boolean isAtOnce() {
        return plan.quick() && pace.percent(95);
    }

    long handlerMillis() {
        if (isAtOnce()) {
            return 0;
        }
        if (faultsEnded) {
            return random.below(10);
        }
        return random.percent(plan.slowPercent()) ? random.below(5_000) : random.delay(10, 200);
    }

    Outcome outcome(Run run) {
        if (typesAreUnknown && random.percent(UNHANDLED_PERCENT) && !faultsEnded) {
            if (random.percent(SNOOZED_OF_THEM_PERCENT)) {
                return new Outcome.Snoozed(random.delay(200, 3_000));
            }
            long since = UnhandledSince.of(run.task());
            return new Outcome.Unhandled(
                    since == UnhandledSince.NEVER ? 1 + timeline.now() : since,
                    random.delay(200, 3_000),
                    UnhandledSince.NEVER,
                    "no handler");
        }
        if (random.percent(EXPIRED_PERCENT) && !faultsEnded) {
            return random.percent(50) ? Outcome.Cancelled.INSTANCE : new Outcome.Expired("too late");
        }
        if (random.percent(plan.deadPercent()) && !faultsEnded) {
            return new Outcome.Dead("no");
        }
        if (random.percent(plan.retryPercent()) && !faultsEnded) {
            return run.attempt() >= 4
                    ? new Outcome.Dead("enough")
                    : new Outcome.Retry(random.delay(200, 3_000), "later");
        }
        return Outcome.Succeeded.INSTANCE;
    }

    // ---- rest ----

    private void endFaults() {
        trace(() -> "the faults end");
        faultsEnded = true;
        if (fills) {
            tellRoom();
        }
        if (halfFills) {
            tellHalf();
        }
        for (SimProcess process : processes) {
            if (process.alive()) {
                faults.thaw(process);
                process.cutOff(false);
            }
        }
        if (processes.stream().noneMatch(process -> process.alive() && !process.leaving())) {
            start();
        }
    }

    /** Whether so many keys are halted that no task of a further key is started. */
    boolean hasTooManyHaltedKeys(ModelPartition state) {
        return state.blocked().stream()
                        .filter(blocked -> blocked.reason() == StoreAnswer.BlockReason.HALTED)
                        .count()
                >= plan.policy().maxBlockedKeys();
    }

    // ---- for the parts of the simulation ----

    List<Partition> partitions() {
        return partitions;
    }

    List<SimProcess> processes() {
        return processes;
    }

    SimProcess process(String id) {
        return processes.get(Integer.parseInt(id.substring(1)) - 1);
    }

    void trace(Supplier<String> what) {
        if (trace != null) {
            trace.add(timeline.now() + " " + what.get());
        }
    }
}
