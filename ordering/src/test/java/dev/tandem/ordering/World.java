package dev.tandem.ordering;

import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.store.PartitionState;
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
final class World {

    /** After healing it must come to rest within this time. */
    private static final long REST_MILLIS = 120_000;

    final Plan plan;
    final Dice dice;
    final Timeline timeline = new Timeline(1_000);
    final BehaviourDigest digest = new BehaviourDigest();
    final Witness witness;
    final ModelStore store;
    final Broker broker;
    final Set<Rule> broken;

    private final @Nullable List<String> trace;
    private final List<Partition> partitions = new ArrayList<>();
    private final List<Proc> procs = new ArrayList<>();
    private int started;
    private boolean healed;
    private long restartedAt;
    private boolean fills;

    World(long seed, Set<Rule> broken, Set<Flaw> flaws, @Nullable List<String> trace) {
        this(Source.Kind.LOG, seed, broken, flaws, trace);
    }

    World(Source.Kind kind, long seed, Set<Rule> broken, Set<Flaw> flaws, @Nullable List<String> trace) {
        this(kind, false, seed, broken, flaws, trace);
    }

    /** @param shared whether all partitions compete for one queue's messages */
    World(
            Source.Kind kind,
            boolean shared,
            long seed,
            Set<Rule> broken,
            Set<Flaw> flaws,
            @Nullable List<String> trace) {
        boolean log = kind == Source.Kind.LOG;
        this.dice = new Dice(seed);
        Plan any = Plan.of(dice);
        this.plan = log ? any : shared ? any.forSharedQueue(dice) : any.forQueue();
        this.broken = broken;
        this.trace = trace;
        for (int i = 0; i < plan.partitions(); i++) {
            partitions.add(Partition.of("q", i));
        }
        this.witness = log ? new Witness(this, partitions) : new QueueWitness(this, partitions);
        this.store = new ModelStore(timeline, plan.settings().horizonMillis(), witness, flaws);
        this.broker = log ? new Broker(this, partitions) : new QueueBroker(this, partitions);
        if (plan.losses() || dice.percent(50)) {
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
        publish(dice.between(1, 8));
        for (int i = 0; i < plan.steps(); i++) {
            if (dice.percent(plan.chaosPercent()) || !timeline.step()) {
                befall();
            }
        }
        heal();
        rest();
    }

    /** The store's memory is full every other second, until the world heals. Draws no dice: a seed's history stays. */
    World withStoreThatFills() {
        fills = true;
        return this;
    }

    boolean storeIsFull() {
        return fills && !healed && timeline.now() / 1_000 % 2 == 1;
    }

    // ---- what befalls it ----

    private void befall() {
        switch (dice.below(14)) {
            case 0, 1, 2, 3 -> publish(dice.between(1, 6));
            case 4 -> {
                if (plan.drops()) {
                    drop();
                }
            }
            case 5 -> {
                if (plan.losses()) {
                    // What another process brought is not forgotten by the next: so much the line of tokens asks for.
                    boolean silently = plan.silentLosses() && dice.percent(50);
                    if (!mayForget()) {
                        return;
                    }
                    if (!silently) {
                        restartedAt = timeline.now();
                    }
                    trace(() -> "the store forgets" + (silently ? " silently" : ""));
                    store.lose(dice, silently);
                    if (!silently || dice.percent(90)) {
                        dropAll();
                    }
                }
            }
            case 6 -> {
                if (plan.losses() && dice.percent(40) && mayForget()) {
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
                if (plan.processes() > 1 && dice.percent(40)) {
                    leave();
                }
            }
            case 11 -> {
                if (plan.freezes() && dice.percent(50)) {
                    cutOff();
                }
            }
            case 12 -> {
                if (plan.drops() && dice.percent(30)) {
                    store.freeze(dice.delay(300, 3_000));
                }
            }
            case 13 -> {
                if (plan.operators() && dice.percent(50)) {
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
            Partition partition = dice.any(partitions);
            if (dice.percent(plan.gapPercent())) {
                broker.gap(partition);
            }
            String key = dice.percent(plan.unkeyedPercent()) ? null : "k" + dice.below(plan.keys());
            long notBefore = dice.percent(plan.delayedPercent())
                    ? ModelStore.WALL + timeline.now() + dice.delay(300, 6_000) - 20
                    : 0;
            boolean unreadable = dice.percent(plan.unreadablePercent());
            Rec rec = witness.publish(partition, key, broker.end(partition), notBefore, unreadable);
            trace(() -> "published " + rec + " at " + partition.name() + ":" + rec.offset
                    + (notBefore == 0 ? "" : " not before " + (notBefore - ModelStore.WALL))
                    + (unreadable ? " unreadable" : ""));
            broker.publish(rec);
        }
    }

    private void start() {
        String id = "p" + ++started;
        Proc proc = plan.kind() == Source.Kind.LOG ? new Proc(this, id) : new QueueProc(this, id);
        procs.add(proc);
        trace(() -> proc + " starts");
        broker.join(proc);
    }

    private @Nullable Proc anyAlive() {
        List<Proc> alive = procs.stream().filter(Proc::alive).toList();
        return alive.isEmpty() ? null : dice.any(alive);
    }

    private void crash() {
        Proc proc = anyAlive();
        if (proc != null) {
            crash(proc);
        }
    }

    private void crash(Proc proc) {
        trace(() -> proc + " crashes");
        proc.crash();
        timeline.in(dice.delay(800, 3_000), () -> broker.gone(proc));
        startAnother();
    }

    private void startAnother() {
        timeline.in(dice.delay(300, 3_000), () -> {
            if (procs.stream().filter(Proc::alive).count() < Math.max(1, plan.processes())) {
                start();
            }
        });
    }

    private void freeze() {
        Proc proc = anyAlive();
        if (proc != null && !proc.frozen()) {
            long millis = dice.delay(1_500, 8_000);
            trace(() -> proc + " freezes for " + millis);
            proc.freeze();
            timeline.in(dice.delay(1_500, 1_500), () -> {
                if (proc.frozen()) {
                    broker.kick(proc);
                }
            });
            timeline.in(millis, () -> thaw(proc));
        }
    }

    private void thaw(Proc proc) {
        if (proc.frozen()) {
            trace(() -> proc + " thaws");
            proc.thaw();
        }
    }

    private void cutOff() {
        Proc proc = anyAlive();
        if (proc != null && !proc.cutOff()) {
            trace(() -> proc + " is cut off from the broker");
            proc.cutOff(true);
            timeline.in(dice.delay(1_500, 1_500), () -> {
                if (proc.cutOff()) {
                    broker.kick(proc);
                }
            });
            timeline.in(dice.delay(1_500, 8_000), () -> proc.cutOff(false));
        }
    }

    private void leave() {
        Proc proc = anyAlive();
        if (proc != null && !proc.leaving()) {
            trace(() -> proc + " leaves");
            proc.leave();
            startAnother();
        }
    }

    /** A process came to its end in good order. */
    void ended(Proc proc) {
        trace(() -> proc + " has ended");
        broker.gone(proc);
    }

    private void drop() {
        Proc proc = anyAlive();
        if (proc != null && !proc.links().isEmpty()) {
            trace(() -> proc + " loses its way to the store");
            dice.any(List.copyOf(proc.links())).drop();
        }
    }

    private void dropAll() {
        for (Proc proc : procs) {
            if (proc.alive()) {
                proc.links().forEach(Link::drop);
            }
        }
    }

    /** Offsets can be changed, and topics made again, only while nobody consumes. */
    private void operate() {
        procs.stream().filter(Proc::alive).toList().forEach(this::crash);
        timeline.in(dice.between(1, 300), () -> {
            for (Proc proc : procs) {
                if (proc.alive()) {
                    return;
                }
            }
            Partition partition = dice.any(partitions);
            if (dice.percent(30)) {
                trace(() -> "the group's offsets of " + partition.name() + " are gone");
                broker.forget(partition);
                return;
            }
            witness.operated(partition);
            if (dice.percent(30)) {
                trace(() -> "topic of " + partition.name() + " is created again");
                for (Rec rec : witness.recs()) {
                    rec.excused |= rec.partition.equals(partition);
                }
                broker.recreate(partition);
            } else {
                long to = dice.below((int) Math.max(1, broker.startOf(partition)));
                trace(() -> partition.name() + " is rewound to " + to);
                broker.rewind(partition, to);
            }
        });
    }

    void wakeOwner(Partition partition) {
        for (Proc proc : procs) {
            boolean owner = proc.id.equals(store.state(partition).executor());
            if (owner && proc.alive() && dice.percent(70)) {
                timeline.in(dice.delay(3, 50), () -> proc.links().forEach(Link::woken));
            }
        }
    }

    // ---- handlers ----

    long handlerMillis() {
        if (healed) {
            return dice.below(10);
        }
        return dice.percent(plan.slowPercent()) ? dice.below(5_000) : dice.delay(10, 200);
    }

    Outcome outcome(Run run) {
        if (dice.percent(plan.deadPercent()) && !healed) {
            return new Outcome.Dead("no");
        }
        if (dice.percent(plan.retryPercent()) && !healed) {
            return run.attempt() >= 4 ? new Outcome.Dead("enough") : new Outcome.Retry(dice.delay(200, 3_000), "later");
        }
        return Outcome.Succeeded.INSTANCE;
    }

    // ---- rest ----

    private void heal() {
        trace(() -> "the world heals");
        healed = true;
        for (Proc proc : procs) {
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
                witness.that(timeline.step(), this::unrest);
            }
            witness.that(timeline.now() < until, this::unrest);
        }
        List<Rec> lost = witness.lost();
        // What a full partition has not taken over is still the broker's.
        lost.removeIf(rec -> rec.offset >= broker.startOf(rec.partition) && isFull(rec.partition));
        witness.that(lost.isEmpty(), () -> "lost: " + lost);
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
        return witness.unfinished().isEmpty();
    }

    /** A halted key may hold its partition up at a bound. */
    private boolean isFull(Partition partition) {
        PartitionState state = store.state(partition);
        boolean full = state.parked() >= plan.policy().maxParkedPerPartition();
        for (StoreAnswer.Blocked blocked : state.blocked()) {
            full |= blocked.why() == StoreAnswer.Why.HALTED
                    && state.lane(blocked.key()).size() >= plan.policy().maxParkedPerKey();
        }
        return full;
    }

    private String unrest() {
        StringBuilder out = new StringBuilder("the world does not come to rest; held and unfinished: ");
        out.append(witness.unfinished());
        for (Partition partition : partitions) {
            PartitionState state = store.state(partition);
            out.append("\n  ").append(partition).append(" committed ").append(broker.startOf(partition));
            out.append(" of ").append(broker.end(partition)).append(", held ").append(state.held());
            out.append(", claims ").append(state.claims()).append(", blocked ").append(state.blocked());
        }
        for (Proc proc : procs) {
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

    List<Proc> procs() {
        return procs;
    }

    Proc proc(String id) {
        return procs.get(Integer.parseInt(id.substring(1)) - 1);
    }

    void trace(Supplier<String> what) {
        if (trace != null) {
            trace.add(timeline.now() + " " + what.get());
        }
    }
}
