package dev.tandem.ordering;

import dev.tandem.task.Delivery;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One executor process: a core with its loop, its consumer, its links to the store and its workers. */
class SimProcess implements Commands {

    /** What the consumer knows of a partition that it was assigned. */
    static final class Consumed {
        long fetch = -1;
        boolean opened;
        boolean paused;
    }

    private record Notice(boolean whileRevoking, Runnable what) {}

    final String id;
    final QueueCore core;
    private final Commands watched;
    final Simulation world;
    private final long monotonicOffset;
    private final Map<Partition, SimStoreLink> links = new LinkedHashMap<>();
    final Map<Partition, Consumed> consumed = new LinkedHashMap<>();
    private final ArrayDeque<Runnable> inbox = new ArrayDeque<>();
    private final ArrayDeque<Notice> notices = new ArrayDeque<>();
    private final Map<Partition, Long> revoking = new LinkedHashMap<>();
    private final Set<Run> unfinished = new LinkedHashSet<>();
    private final List<Partition> leftNow = new ArrayList<>();
    private boolean alive = true;
    private boolean frozen;
    private boolean leaving;
    /** No word from or to the broker. */
    private boolean cutOff;

    int generation;
    private long turnAt = Long.MAX_VALUE;
    private boolean said;
    private int idleTurns;

    SimProcess(Simulation world, String id) {
        this.world = world;
        this.id = id;
        this.monotonicOffset = world.random.below(1_000_000);
        this.core = new QueueCore(world.plan.kind(), world.plan.policy(), world.plan.settings(), id);
        core.partitions(world.partitions());
        this.watched = world.digest.watching(this, id);
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

    Set<Partition> assigned() {
        return consumed.keySet();
    }

    boolean consumes(Partition partition) {
        return consumed.containsKey(partition);
    }

    /** World time of a moment on this process's clock. */
    long worldTime(long monotonic) {
        return monotonic == Long.MIN_VALUE ? monotonic : monotonic - monotonicOffset;
    }

    // ---- life ----

    /** kill -9. */
    void crash() {
        alive = false;
        links.values().forEach(SimStoreLink::cut);
        world.oracle.died(this);
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

    /** Gives all up, drains and ends. */
    void leave() {
        leaving = true;
        core.pauseStarts(true);
        wake(0);
    }

    // ---- the loop ----

    /** From the store's threads and the workers. */
    void post(Runnable event) {
        if (alive) {
            inbox.add(event);
            wake(world.random.delay(0, 10));
        }
    }

    /** From the broker. */
    void notice(boolean whileRevoking, Runnable what) {
        if (alive) {
            notices.add(new Notice(whileRevoking, what));
            wake(world.random.delay(1, 20));
        }
    }

    void wake(long millis) {
        wakeAt(world.timeline.now() + millis);
    }

    private void wakeAt(long time) {
        if (alive && !frozen && time < turnAt) {
            turnAt = time;
            world.timeline.at(time, () -> {
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
        long now = world.timeline.now();
        boolean events = !inbox.isEmpty() || !notices.isEmpty();
        said = false;
        core.clock(now + monotonicOffset, SimStore.WALL + now);
        boolean sourceFirst = world.random.percent(50);
        boolean delivered = sourceFirst && poll();
        int count = world.random.percent(80) ? inbox.size() : world.random.below(inbox.size() + 1);
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
        world.oracle.turned(this);
        if (leaving && consumed.isEmpty() && core.idle()) {
            alive = false;
            world.ended(this);
            return;
        }
        next(events || delivered);
    }

    private void next(boolean events) {
        long next = core.nextTurn();
        long at = next == Long.MAX_VALUE ? Long.MAX_VALUE : worldTime(next);
        boolean nothing = !events && !said && at <= world.timeline.now();
        idleTurns = nothing ? idleTurns + 1 : 0;
        world.oracle.that(idleTurns < 5, () -> this + " asks for turns and does nothing in them: " + core);
        for (long deadline : revoking.values()) {
            at = Math.min(at, deadline);
        }
        wakeAt(Math.max(at, world.timeline.now() + (at <= world.timeline.now() ? 1 : 0)));
        if (!inbox.isEmpty() || notices.stream().anyMatch(n -> revoking.isEmpty() || n.whileRevoking) || toFetch()) {
            wake(1 + world.random.delay(1, 10));
        }
    }

    boolean toFetch() {
        if (!revoking.isEmpty() || cutOff) {
            return false;
        }
        for (Map.Entry<Partition, Consumed> entry : consumed.entrySet()) {
            Consumed c = entry.getValue();
            if (c.opened && !c.paused && c.fetch < world.broker.end(entry.getKey())) {
                return true;
            }
        }
        return false;
    }

    /** The consumer's poll: what the group says, then records. */
    private boolean poll() {
        boolean any = false;
        for (int i = notices.size(); i > 0; i--) {
            Notice notice = notices.poll();
            if (revoking.isEmpty() || notice.whileRevoking) {
                notice.what.run();
                any = true;
            } else {
                notices.add(notice);
            }
        }
        any |= catchUp();
        if (!toFetch() || world.random.percent(20)) {
            return any;
        }
        return fetch() || any;
    }

    /** What a queue tells besides deliveries. */
    boolean catchUp() {
        return false;
    }

    /** Hands over what the broker has for us. */
    boolean fetch() {
        boolean any = false;
        for (Partition partition : new ArrayList<>(consumed.keySet())) {
            Consumed c = consumed.get(partition);
            if (c.opened && !c.paused && c.fetch < world.broker.end(partition)) {
                List<SimTask> records = new ArrayList<>();
                c.fetch = world.broker.fetch(partition, c.fetch, world.random.between(1, 5), records);
                List<Delivery> deliveries = new ArrayList<>();
                for (SimTask rec : records) {
                    deliveries.add(rec.delivery(rec.offset, null, false));
                }
                world.trace(() -> this + " gets " + partition.name() + records + " next " + c.fetch);
                world.oracle.delivered(this, partition, records);
                core.delivered(partition, deliveries, c.fetch);
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
            if (entry.getValue() <= world.timeline.now()) {
                world.trace(() -> this + " could not leave " + entry.getKey().name() + " in time");
                lose(entry.getKey());
            }
        }
    }

    void handBack() {
        for (Partition partition : leftNow) {
            if (revoking.remove(partition) != null) {
                world.broker.handedBack(this, partition);
            }
            consumed.remove(partition);
        }
        leftNow.clear();
    }

    // ---- what the consumer tells ----

    void assign(Partition partition, Source.Facts facts) {
        if (leaving || consumed.containsKey(partition)) {
            return;
        }
        world.trace(() -> this + " is assigned " + partition.name() + " " + facts);
        consumed.put(partition, new Consumed());
        world.oracle.mayStart(this, partition);
        core.assigned(partition, facts, id + "-" + partition.name());
        SimStoreLink link = links.get(partition);
        if (link == null) {
            links.put(partition, new SimStoreLink(world, this, partition));
        } else if (link.up()) {
            core.storeUp(partition);
        }
    }

    void revoke(Partition partition) {
        if (consumed.containsKey(partition)) {
            world.trace(() -> this + " is to give up " + partition.name());
            revoking.put(partition, world.timeline.now() + world.random.between(20, 3_000));
            world.oracle.noStarts(this, partition);
            core.revoked(partition);
        }
    }

    void lose(Partition partition) {
        if (consumed.containsKey(partition)) {
            world.trace(() -> this + " lost " + partition.name());
            world.oracle.noStarts(this, partition);
            core.lost(partition);
            // At once, so that it has left before it can be assigned again.
            core.flush(watched);
            handBack();
        }
    }

    void confirmed(Partition partition, Source.Facts facts) {
        if (consumed.containsKey(partition)) {
            world.trace(() -> this + " still has " + partition.name() + " " + facts);
            core.confirmed(partition, facts);
        }
    }

    void committed(Partition partition, long upTo) {
        if (consumed.containsKey(partition)) {
            core.committed(partition, upTo);
        }
    }

    void commitFailed(Partition partition) {
        if (consumed.containsKey(partition)) {
            core.commitFailed(partition);
        }
    }

    void answered(StoreRequest request, StoreAnswer answer) {
        world.oracle.heard(this, request, answer);
        core.answered(request, answer);
    }

    // ---- commands ----

    @Override
    public void send(StoreRequest request) {
        said = true;
        links.get(request.partition()).send(request);
    }

    @Override
    public void reach(Partition partition) {
        said = true;
        SimStoreLink link = links.get(partition);
        if (link == null) {
            links.put(partition, new SimStoreLink(world, this, partition));
        } else if (link.up()) {
            post(() -> core.storeUp(partition));
        }
    }

    @Override
    public void start(Run run) {
        said = true;
        world.oracle.starts(this, run);
        unfinished.add(run);
        world.timeline.in(world.random.delay(1, 3_000), () -> pickUp(run));
    }

    private void pickUp(Run run) {
        if (!alive) {
            return;
        }
        if (frozen) {
            world.timeline.in(50, () -> pickUp(run));
            return;
        }
        boolean late = !run.mayBegin(world.timeline.now() + monotonicOffset);
        if (late || world.random.percent(leaving ? 50 : 2)) {
            finish(run, Outcome.NotStarted.INSTANCE);
            return;
        }
        world.trace(() -> this + " runs " + run.position() + " of "
                + world.oracle.rec(SimTask.idOf(run.task())) + " token " + TraceFormat.token(run.token()) + " attempt "
                + run.attempt());
        world.oracle.begins(this, run);
        world.digest.begins(run);
        world.timeline.in(world.handlerMillis(), () -> end(run));
    }

    private void end(Run run) {
        if (!alive) {
            return;
        }
        if (frozen) {
            world.timeline.in(50, () -> end(run));
            return;
        }
        Outcome outcome = world.outcome(run);
        world.oracle.ends(this, run, outcome);
        finish(run, outcome);
    }

    private void finish(Run run, Outcome outcome) {
        world.trace(() -> this + " ends " + run.position() + " " + outcome);
        post(() -> {
            unfinished.remove(run);
            core.finished(run, outcome);
        });
    }

    int unfinished() {
        return unfinished.size();
    }

    @Override
    public void commit(Partition partition, long upTo) {
        said = true;
        Consumed c = consumed.get(partition);
        if (c != null) {
            world.oracle.commits(this, partition, upTo, c.fetch);
            world.broker.commit(this, partition, upTo);
        }
    }

    @Override
    public void ack(Partition partition, Collection<Long> sequences) {
        said = true;
    }

    @Override
    public void open(Partition partition) {
        said = true;
        Consumed c = consumed.get(partition);
        if (c != null) {
            c.opened = true;
            c.fetch = world.broker.startOf(partition);
        }
    }

    @Override
    public void pause(Partition partition) {
        said = true;
        Consumed c = consumed.get(partition);
        if (c != null) {
            c.paused = true;
        }
    }

    @Override
    public void resume(Partition partition) {
        said = true;
        Consumed c = consumed.get(partition);
        if (c != null) {
            c.paused = false;
        }
    }

    @Override
    public void rewind(Partition partition) {
        said = true;
        Consumed c = consumed.get(partition);
        world.trace(() -> this + " rewinds " + partition.name());
        if (c != null) {
            c.fetch = world.broker.startOf(partition);
            world.oracle.forgetsLanes(this, partition);
        }
    }

    @Override
    public void confirm(Partition partition) {
        said = true;
        if (consumed.containsKey(partition)) {
            world.broker.confirm(this, partition);
        }
    }

    @Override
    public void left(Partition partition) {
        said = true;
        world.trace(() -> this + " left " + partition.name());
        world.oracle.noStarts(this, partition);
        world.oracle.left(this, partition);
        leftNow.add(partition);
    }

    /** Whether nothing is on its way in this process. */
    boolean quiet() {
        return inbox.isEmpty()
                && notices.isEmpty()
                && unfinished.isEmpty()
                && revoking.isEmpty()
                && !toFetch()
                && core.idle();
    }

    @Override
    public String toString() {
        return id;
    }
}
