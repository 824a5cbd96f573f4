package dev.tandem.ordering;

import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreModel.Flaw;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One seeded history: executors, a broker, a store and whatever befalls them, until the world heals and comes to rest.
 * The same seed makes the same history.
 */
final class Simulation {

    /** After healing it must come to rest within this time. */
    private static final long REST_MILLIS = 120_000;

    final HistoryPlan plan;
    final SeededRandom random;
    final Timeline timeline = new Timeline(1_000);
    final BehaviourDigest digest = new BehaviourDigest();
    final LogOracle oracle;
    final SimStore store;
    final SimLogBroker broker;

    private final @Nullable List<String> trace;
    private final List<Partition> partitions = new ArrayList<>();
    private final List<SimProcess> procs = new ArrayList<>();
    private int started;
    private boolean healed;
    private long restartedAt;
    private boolean fills;

    /** @param shared whether all partitions compete for one queue's messages */
    Simulation(Source.Kind kind, boolean shared, long seed, Set<Flaw> flaws, @Nullable List<String> trace) {
        boolean log = kind == Source.Kind.LOG;
        this.random = new SeededRandom(seed);
        HistoryPlan any = HistoryPlan.of(random);
        this.plan = log ? any : shared ? any.forSharedQueue(random) : any.forQueue();
        this.trace = trace;
        for (int i = 0; i < plan.partitions(); i++) {
            partitions.add(Partition.of("q", i));
        }
        this.oracle = log ? new LogOracle(this, partitions) : new QueueOracle(this, partitions);
        this.store = new SimStore(timeline, plan.settings().horizonMillis(), oracle, flaws);
        this.broker = log ? new SimLogBroker(this, partitions) : new SimQueueBroker(this, partitions);
        if (plan.losses() || random.percent(50)) {
            Source.Facts facts = log ? new Source.Facts(0, "topic-1", 0, 0) : Source.Facts.NONE;
            partitions.forEach(
                    partition -> store.ownedBefore(partition, plan.settings().leaseMillis(), facts));
        }
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
                befall();
            }
        }
        heal();
        rest();
    }

    /** The store's memory is full every other second, until the world heals. Draws no dice: a seed's history stays. */
    Simulation withStoreThatFills() {
        fills = true;
        return this;
    }

    boolean storeIsFull() {
        return fills && !healed && timeline.now() / 1_000 % 2 == 1;
    }

    // ---- what befalls it ----

    private void befall() {
        switch (random.below(14)) {
            case 0, 1, 2, 3 -> publish(random.between(1, 6));
            case 4 -> {
                if (plan.drops()) {
                    drop();
                }
            }
            case 5 -> {
                if (plan.losses()) {
                    // What another process brought is not forgotten by the next: so much the line of tokens asks for.
                    boolean silently = plan.silentLosses() && random.percent(50);
                    if (!mayForget()) {
                        return;
                    }
                    if (!silently) {
                        restartedAt = timeline.now();
                    }
                    trace(() -> "the store forgets" + (silently ? " silently" : ""));
                    store.lose(random, silently);
                    if (!silently || random.percent(90)) {
                        dropAll();
                    }
                }
            }
            case 6 -> {
                if (plan.losses() && random.percent(40) && mayForget()) {
                    restartedAt = timeline.now();
                    trace(() -> "the store restarts");
                    store.restart();
                    dropAll();
                }
            }
            case 7 -> {
                if (plan.crashes()) {
                    crash();
                }
            }
            case 8 -> {
                if (plan.freezes()) {
                    freeze();
                }
            }
            case 9 -> {
                if (plan.rebalances()) {
                    broker.shake();
                }
            }
            case 10 -> {
                if (plan.processes() > 1 && random.percent(40)) {
                    leave();
                }
            }
            case 11 -> {
                if (plan.freezes() && random.percent(50)) {
                    cutOff();
                }
            }
            case 12 -> {
                if (plan.drops() && random.percent(30)) {
                    store.freeze(random.delay(300, 3_000));
                }
            }
            case 13 -> {
                if (plan.operators() && random.percent(50)) {
                    operate();
                }
            }
        }
    }

    private boolean mayForget() {
        return timeline.now() - restartedAt > plan.settings().horizonMillis();
    }

    private void publish(int count) {
        for (int i = 0; i < count; i++) {
            Partition partition = random.any(partitions);
            if (random.percent(plan.gapPercent())) {
                broker.gap(partition);
            }
            String key = random.percent(plan.unkeyedPercent()) ? null : "k" + random.below(plan.keys());
            long notBefore = random.percent(plan.delayedPercent())
                    ? SimStore.WALL + timeline.now() + random.delay(300, 6_000) - 20
                    : 0;
            boolean unreadable = random.percent(plan.unreadablePercent());
            SimTask rec = oracle.publish(partition, key, broker.end(partition), notBefore, unreadable);
            trace(() -> "published " + rec + " at " + partition.name() + ":" + rec.offset
                    + (notBefore == 0 ? "" : " not before " + (notBefore - SimStore.WALL))
                    + (unreadable ? " unreadable" : ""));
            broker.publish(rec);
        }
    }

    private void start() {
        String id = "p" + ++started;
        SimProcess proc = plan.kind() == Source.Kind.LOG ? new SimProcess(this, id) : new QueueSimProcess(this, id);
        procs.add(proc);
        trace(() -> proc + " starts");
        broker.join(proc);
    }

    private @Nullable SimProcess anyAlive() {
        List<SimProcess> alive = procs.stream().filter(SimProcess::alive).toList();
        return alive.isEmpty() ? null : random.any(alive);
    }

    private void crash() {
        SimProcess proc = anyAlive();
        if (proc != null) {
            crash(proc);
        }
    }

    private void crash(SimProcess proc) {
        trace(() -> proc + " crashes");
        proc.crash();
        timeline.in(random.delay(800, 3_000), () -> broker.gone(proc));
        startAnother();
    }

    private void startAnother() {
        timeline.in(random.delay(300, 3_000), () -> {
            if (procs.stream().filter(SimProcess::alive).count() < Math.max(1, plan.processes())) {
                start();
            }
        });
    }

    private void freeze() {
        SimProcess proc = anyAlive();
        if (proc != null && !proc.frozen()) {
            long millis = random.delay(1_500, 8_000);
            trace(() -> proc + " freezes for " + millis);
            proc.freeze();
            timeline.in(random.delay(1_500, 1_500), () -> {
                if (proc.frozen()) {
                    broker.kick(proc);
                }
            });
            timeline.in(millis, () -> thaw(proc));
        }
    }

    private void thaw(SimProcess proc) {
        if (proc.frozen()) {
            trace(() -> proc + " thaws");
            proc.thaw();
        }
    }

    private void cutOff() {
        SimProcess proc = anyAlive();
        if (proc != null && !proc.cutOff()) {
            trace(() -> proc + " is cut off from the broker");
            proc.cutOff(true);
            timeline.in(random.delay(1_500, 1_500), () -> {
                if (proc.cutOff()) {
                    broker.kick(proc);
                }
            });
            timeline.in(random.delay(1_500, 8_000), () -> proc.cutOff(false));
        }
    }

    private void leave() {
        SimProcess proc = anyAlive();
        if (proc != null && !proc.leaving()) {
            trace(() -> proc + " leaves");
            proc.leave();
            startAnother();
        }
    }

    /** A process came to its end in good order. */
    void ended(SimProcess proc) {
        trace(() -> proc + " has ended");
        broker.gone(proc);
    }

    private void drop() {
        SimProcess proc = anyAlive();
        if (proc != null && !proc.links().isEmpty()) {
            trace(() -> proc + " loses its way to the store");
            random.any(List.copyOf(proc.links())).drop();
        }
    }

    private void dropAll() {
        for (SimProcess proc : procs) {
            if (proc.alive()) {
                proc.links().forEach(SimStoreLink::drop);
            }
        }
    }

    /** Offsets can be changed, and topics made again, only while nobody consumes. */
    private void operate() {
        procs.stream().filter(SimProcess::alive).toList().forEach(this::crash);
        timeline.in(random.between(1, 300), () -> {
            for (SimProcess proc : procs) {
                if (proc.alive()) {
                    return;
                }
            }
            Partition partition = random.any(partitions);
            if (random.percent(30)) {
                trace(() -> "the group's offsets of " + partition.name() + " are gone");
                broker.forget(partition);
                return;
            }
            oracle.operated(partition);
            if (random.percent(30)) {
                trace(() -> "topic of " + partition.name() + " is created again");
                for (SimTask rec : oracle.recs()) {
                    rec.excused |= rec.partition.equals(partition);
                }
                broker.recreate(partition);
            } else {
                long to = random.below((int) Math.max(1, broker.startOf(partition)));
                trace(() -> partition.name() + " is rewound to " + to);
                broker.rewind(partition, to);
            }
        });
    }

    void wakeOwner(Partition partition) {
        for (SimProcess proc : procs) {
            boolean owner = proc.id.equals(store.state(partition).executor());
            if (owner && proc.alive() && random.percent(70)) {
                timeline.in(random.delay(3, 50), () -> proc.links().forEach(SimStoreLink::woken));
            }
        }
    }

    // ---- handlers ----

    long handlerMillis() {
        if (healed) {
            return random.below(10);
        }
        return random.percent(plan.slowPercent()) ? random.below(5_000) : random.delay(10, 200);
    }

    Outcome outcome(Run run) {
        if (random.percent(plan.deadPercent()) && !healed) {
            return new Outcome.Dead("no");
        }
        if (random.percent(plan.retryPercent()) && !healed) {
            return run.attempt() >= 4
                    ? new Outcome.Dead("enough")
                    : new Outcome.Retry(random.delay(200, 3_000), "later");
        }
        return Outcome.Succeeded.INSTANCE;
    }

    // ---- rest ----

    private void heal() {
        trace(() -> "the world heals");
        healed = true;
        for (SimProcess proc : procs) {
            if (proc.alive()) {
                thaw(proc);
                proc.cutOff(false);
            }
        }
        if (procs.stream().noneMatch(proc -> proc.alive() && !proc.leaving())) {
            start();
        }
    }

    private void rest() {
        long until = timeline.now() + REST_MILLIS;
        long look = 0;
        while (!rested(look)) {
            look = timeline.now() + 50;
            while (timeline.now() < look) {
                oracle.that(timeline.step(), this::unrest);
            }
            oracle.that(timeline.now() < until, this::unrest);
        }
        List<SimTask> lost = oracle.lost();
        // What a full partition has not taken over is still the broker's.
        lost.removeIf(rec -> rec.offset >= broker.startOf(rec.partition) && isFull(rec.partition));
        oracle.that(lost.isEmpty(), () -> "lost: " + lost);
    }

    private boolean rested(long since) {
        if (!broker.settled() || procs.stream().anyMatch(proc -> proc.alive() && (proc.leaving() || !proc.quiet()))) {
            return false;
        }
        for (Partition partition : partitions) {
            if (!isFull(partition) && broker.startOf(partition) < broker.end(partition)) {
                return false;
            }
        }
        return oracle.unfinished().isEmpty();
    }

    /** A halted key may hold its partition up at a bound. */
    private boolean isFull(Partition partition) {
        ModelPartition state = store.state(partition);
        boolean full = state.parked() >= plan.policy().maxParkedPerPartition();
        for (StoreAnswer.BlockedKey blocked : state.blocked()) {
            full |= blocked.reason() == StoreAnswer.BlockReason.HALTED
                    && state.lane(blocked.key()).size() >= plan.policy().maxParkedPerKey();
        }
        return full;
    }

    private String unrest() {
        StringBuilder out = new StringBuilder("the world does not come to rest; held and unfinished: ");
        out.append(oracle.unfinished());
        for (Partition partition : partitions) {
            ModelPartition state = store.state(partition);
            out.append("\n  ").append(partition).append(" committed ").append(broker.startOf(partition));
            out.append(" of ").append(broker.end(partition)).append(", held ").append(state.inStore());
            out.append(", claims ").append(state.claims()).append(", blocked ").append(state.blocked());
        }
        for (SimProcess proc : procs) {
            if (proc.alive()) {
                out.append("\n  ")
                        .append(proc)
                        .append(proc.quiet() ? " quiet " : " busy ")
                        .append(proc.core);
            }
        }
        return out.toString();
    }

    // ---- for the others ----

    List<Partition> partitions() {
        return partitions;
    }

    List<SimProcess> procs() {
        return procs;
    }

    SimProcess proc(String id) {
        return procs.get(Integer.parseInt(id.substring(1)) - 1);
    }

    void trace(Supplier<String> what) {
        if (trace != null) {
            trace.add(timeline.now() + " " + what.get());
        }
    }
}
