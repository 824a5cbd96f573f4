package dev.tandem.ordering;

import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One executor process: a core with its loop, its consumer, its links to the store and its workers. */
class SimProcess {

    /** @param whileRevoking whether the consumer says it also while a revocation waits to be answered */
    private record Notice(boolean whileRevoking, Runnable event) {}

    final Simulation simulation;
    final String id;
    final QueueCore core;
    final SimWorkers workers;
    final Map<Partition, ConsumedPartition> consumed = new LinkedHashMap<>();
    private final SimCommands commands;
    /** The commands, with the digest watching. */
    private final Commands watched;

    private final long monotonicOffset;
    private final Map<Partition, SimStoreLink> links = new LinkedHashMap<>();
    private final ArrayDeque<Runnable> inbox = new ArrayDeque<>();
    private final ArrayDeque<Notice> notices = new ArrayDeque<>();
    /** Partitions to give up, and until when. */
    private final Map<Partition, Long> revoking = new LinkedHashMap<>();
    /** Left in this turn. */
    private final List<Partition> leftNow = new ArrayList<>();

    private boolean alive = true;
    private boolean frozen;
    private boolean leaving;
    /** Nothing comes from the broker or gets to it. */
    private boolean cutOff;
    /** The generation of the consumer group that it knows of. */
    int generation;

    private long turnAt = Long.MAX_VALUE;
    private int idleTurns;

    SimProcess(Simulation simulation, String id) {
        this(simulation, id, SimCommands::new);
    }

    SimProcess(Simulation simulation, String id, Function<SimProcess, SimCommands> commands) {
        this.simulation = simulation;
        this.id = id;
        this.monotonicOffset = simulation.random.below(1_000_000);
        this.core = new QueueCore(
                simulation.plan.kind(), simulation.plan.policy(), simulation.custody, simulation.plan.settings(), id);
        core.partitions(simulation.partitions());
        this.workers = new SimWorkers(this);
        this.commands = commands.apply(this);
        this.watched = simulation.digest.watching(this.commands, id);
    }

    boolean alive() {
        return alive;
    }

    boolean frozen() {
        return frozen;
    }

    boolean cutOff() {
        return cutOff;
    }

    boolean leaving() {
        return leaving;
    }

    Collection<SimStoreLink> links() {
        return links.values();
    }

    @Nullable
    SimStoreLink link(Partition partition) {
        return links.get(partition);
    }

    void openLink(Partition partition) {
        links.put(partition, new SimStoreLink(simulation, this, partition));
    }

    /** Runs that were ordered to start, and whose ends the core does not know. */
    int unfinished() {
        return workers.unfinished();
    }

    Set<Partition> assigned() {
        return consumed.keySet();
    }

    boolean consumes(Partition partition) {
        return consumed.containsKey(partition);
    }

    /** This process's monotonic time at a moment of the simulation. */
    long monotonic(long time) {
        return time + monotonicOffset;
    }

    /** The simulation's time of a moment on this process's monotonic clock. */
    long simulationTime(long monotonic) {
        return monotonic == Long.MIN_VALUE ? monotonic : monotonic - monotonicOffset;
    }

    // ---- life ----

    /** As by kill -9. */
    void crash() {
        alive = false;
        links.values().forEach(SimStoreLink::cut);
        simulation.oracle.died(this);
    }

    void freeze() {
        frozen = true;
    }

    void thaw() {
        frozen = false;
        wake(0);
    }

    void cutOff(boolean now) {
        cutOff = now;
        wake(0);
    }

    /** Gives up all partitions, waits for its runs and ends. */
    void leave() {
        leaving = true;
        core.pauseStarts(true);
        wake(0);
    }

    // ---- the loop ----

    /** An event of the store's threads or the workers, for the next turns. */
    void post(Runnable event) {
        if (alive) {
            inbox.add(event);
            wake(simulation.random.delay(0, 10));
        }
    }

    /** An event of the broker, for the next polls. */
    void notice(boolean whileRevoking, Runnable event) {
        if (alive) {
            notices.add(new Notice(whileRevoking, event));
            wake(simulation.random.delay(1, 20));
        }
    }

    void wake(long millis) {
        wakeAt(simulation.timeline.now() + millis);
    }

    private void wakeAt(long time) {
        if (alive && !frozen && time < turnAt) {
            turnAt = time;
            simulation.timeline.at(time, () -> {
                if (turnAt == time) {
                    turnAt = Long.MAX_VALUE;
                    turn();
                }
            });
        }
    }

    private void turn() {
        if (!alive || frozen) {
            return;
        }
        long now = simulation.timeline.now();
        boolean events = !inbox.isEmpty() || !notices.isEmpty();
        commands.takeAny();
        core.clock(monotonic(now), SimStore.WALL + now);
        boolean sourceFirst = simulation.random.percent(50);
        boolean delivered = sourceFirst && poll();
        int count = simulation.random.percent(80) ? inbox.size() : simulation.random.below(inbox.size() + 1);
        for (int i = 0; i < count; i++) {
            inbox.poll().run();
        }
        delivered |= !sourceFirst && poll();
        overdueRevocations();
        if (leaving) {
            beginToLeave();
        }
        core.flush(watched);
        handBack();
        simulation.oracle.turned(this);
        if (leaving && consumed.isEmpty() && core.idle()) {
            alive = false;
            simulation.ended(this);
            return;
        }
        next(events || delivered);
    }

    private void next(boolean events) {
        long next = core.nextTurn();
        long at = next == Long.MAX_VALUE ? Long.MAX_VALUE : simulationTime(next);
        boolean nothing = !events && !commands.takeAny() && at <= simulation.timeline.now();
        idleTurns = nothing ? idleTurns + 1 : 0;
        Oracle.check(idleTurns < 5, () -> this + " asks for turns and does nothing in them: " + core);
        for (long deadline : revoking.values()) {
            at = Math.min(at, deadline);
        }
        wakeAt(Math.max(at, simulation.timeline.now() + (at <= simulation.timeline.now() ? 1 : 0)));
        if (!inbox.isEmpty() || notices.stream().anyMatch(n -> revoking.isEmpty() || n.whileRevoking) || toFetch()) {
            wake(1 + simulation.random.delay(1, 10));
        }
    }

    boolean toFetch() {
        if (!revoking.isEmpty() || cutOff) {
            return false;
        }
        return consumed.entrySet().stream().anyMatch(each -> simulation.cuts.toFetch(each.getKey(), each.getValue()));
    }

    /** The consumer's poll: what the group says, then deliveries. */
    private boolean poll() {
        boolean any = false;
        for (int i = notices.size(); i > 0; i--) {
            Notice notice = notices.poll();
            if (revoking.isEmpty() || notice.whileRevoking) {
                notice.event.run();
                any = true;
            } else {
                notices.add(notice);
            }
        }
        any |= catchUp();
        if (!toFetch() || simulation.random.percent(20)) {
            return any;
        }
        return fetch() || any;
    }

    /** An event of a message queue other than a delivery. */
    boolean catchUp() {
        return false;
    }

    /** Hands deliveries to the core. */
    boolean fetch() {
        boolean any = false;
        for (Partition partition : new ArrayList<>(consumed.keySet())) {
            ConsumedPartition known = consumed.get(partition);
            if (simulation.cuts.toFetch(partition, known) && !simulation.cuts.mayRead(this, partition, known)) {
                any = true;
            } else if (simulation.cuts.toFetch(partition, known)) {
                List<SimTask> records = new ArrayList<>();
                known.fetch = simulation.broker.fetch(partition, known.fetch, simulation.random.between(1, 5), records);
                List<Delivery> deliveries = new ArrayList<>();
                for (SimTask task : records) {
                    deliveries.add(task.delivery(task.offset, null, false));
                }
                simulation.trace(() -> this + " gets " + partition.name() + records + " next " + known.fetch);
                simulation.oracle.delivered(this, partition, records);
                core.delivered(partition, deliveries, known.fetch);
                any = true;
            }
        }
        return any;
    }

    private void beginToLeave() {
        for (Partition partition : consumed.keySet()) {
            if (!revoking.containsKey(partition)) {
                revoke(partition);
            }
        }
    }

    private void overdueRevocations() {
        for (Map.Entry<Partition, Long> entry : List.copyOf(revoking.entrySet())) {
            if (entry.getValue() <= simulation.timeline.now()) {
                simulation.trace(
                        () -> this + " could not leave " + entry.getKey().name() + " in time");
                lose(entry.getKey());
            }
        }
    }

    /** The core has left it; the broker is told at the end of the turn. */
    void left(Partition partition) {
        leftNow.add(partition);
    }

    void handBack() {
        for (Partition partition : leftNow) {
            if (revoking.remove(partition) != null) {
                simulation.broker.handedBack(this, partition);
            }
            simulation.cuts.left(this, partition, consumed.remove(partition));
        }
        leftNow.clear();
    }

    // ---- what the consumer tells ----

    void assign(Partition partition, Source.Facts facts) {
        if (leaving || consumed.containsKey(partition)) {
            return;
        }
        consumed.put(partition, new ConsumedPartition());
        Source.Facts all = simulation.cuts.assigned(this, partition, consumed.get(partition), facts);
        simulation.trace(() -> this + " is assigned " + partition.name() + " " + all);
        simulation.oracle.mayStart(this, partition);
        core.assigned(partition, all, id + "-" + partition.name());
        SimStoreLink link = links.get(partition);
        if (link == null) {
            openLink(partition);
        } else if (link.up()) {
            core.storeUp(partition);
        }
    }

    void revoke(Partition partition) {
        if (consumed.containsKey(partition)) {
            simulation.trace(() -> this + " is to give up " + partition.name());
            revoking.put(partition, simulation.timeline.now() + simulation.random.between(20, 3_000));
            simulation.oracle.noStarts(this, partition);
            core.revoked(partition);
        }
    }

    void lose(Partition partition) {
        if (consumed.containsKey(partition)) {
            simulation.trace(() -> this + " lost " + partition.name());
            simulation.oracle.noStarts(this, partition);
            core.lost(partition);
            // It must have left before it can be assigned again.
            core.flush(watched);
            handBack();
        }
    }

    void confirmed(Partition partition, Source.Facts facts) {
        if (consumed.containsKey(partition)) {
            simulation.trace(() -> this + " still has " + partition.name() + " " + facts);
            core.confirmed(partition, facts);
        }
    }

    void committed(Partition partition, long upTo) {
        if (consumed.containsKey(partition)) {
            consumed.get(partition).committed = upTo;
            core.committed(partition, upTo);
        }
    }

    void commitFailed(Partition partition) {
        if (consumed.containsKey(partition)) {
            core.commitFailed(partition);
        }
    }

    void answered(StoreRequest request, StoreAnswer answer) {
        simulation.oracle.answered(this, request, answer);
        core.answered(request, answer);
    }

    /** Whether nothing is on its way in this process. */
    boolean quiet() {
        return inbox.isEmpty()
                && notices.isEmpty()
                && workers.unfinished() == 0
                && revoking.isEmpty()
                && !toFetch()
                && core.idle();
    }

    @Override
    public String toString() {
        return id;
    }
}
