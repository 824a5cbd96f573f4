package dev.tandem.ordering;

import dev.tandem.task.Partition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Faults of a history: crashes, freezes, lost connections, a store that forgets, rebalances, operators. */
final class SimFaults {

    private final Simulation simulation;
    private final HistoryPlan plan;
    private final SeededRandom random;
    private final Timeline timeline;
    private long restartedAt;

    SimFaults(Simulation simulation) {
        this.simulation = simulation;
        this.plan = simulation.plan;
        this.random = simulation.random;
        this.timeline = simulation.timeline;
    }

    /** Publishes tasks, or lets something go wrong that the plan allows. */
    void strike() {
        switch (random.below(14)) {
            case 0, 1, 2, 3 -> simulation.publish(random.between(1, 6));
            case 4 -> allow(plan.drops(), this::drop);
            case 5 -> allow(plan.losses(), this::forget);
            case 6 -> allow(plan.losses() && random.percent(40) && mayForget(), this::restart);
            case 7 -> allow(plan.crashes(), this::crash);
            case 8 -> allow(plan.freezes(), this::freeze);
            case 9 -> allow(plan.rebalances(), simulation.broker::disturb);
            case 10 -> allow(plan.processes() > 1 && random.percent(40), this::leave);
            case 11 -> allow(plan.freezes() && random.percent(50), this::cutOff);
            case 12 ->
                allow(plan.drops() && random.percent(30), () -> simulation.store.freeze(random.delay(300, 3_000)));
            default -> allow(plan.operators() && random.percent(50), this::operate);
        }
    }

    private static void allow(boolean allowed, Runnable fault) {
        if (allowed) {
            fault.run();
        }
    }

    // ---- the store ----

    /** Returns whether the store may lose its data: not soon after its last restart, as the growth of tokens assumes. */
    private boolean mayForget() {
        return timeline.now() - restartedAt > plan.settings().horizonMillis();
    }

    private void forget() {
        boolean silently = plan.silentLosses() && random.percent(50);
        if (!mayForget()) {
            return;
        }
        if (!silently) {
            restartedAt = timeline.now();
        }
        simulation.trace(() -> "the store forgets" + (silently ? " silently" : ""));
        simulation.store.lose(random, silently);
        if (!silently || random.percent(90)) {
            dropAll();
        }
    }

    /** Forgets what it was told just after a log was cut, or lets a process crash that knows of the cut. */
    void forgetAfterCut(boolean crashes) {
        if (crashes) {
            crash();
        } else {
            forget();
        }
    }

    private void restart() {
        restartedAt = timeline.now();
        simulation.trace(() -> "the store restarts");
        simulation.store.restart();
        dropAll();
    }

    private void drop() {
        SimProcess process = anyAlive();
        if (process != null && !process.links().isEmpty()) {
            simulation.trace(() -> process + " loses its connection to the store");
            random.any(List.copyOf(process.links())).drop();
        }
    }

    private void dropAll() {
        for (SimProcess process : simulation.processes()) {
            if (process.alive()) {
                process.links().forEach(SimStoreLink::drop);
            }
        }
    }

    // ---- processes ----

    private @Nullable SimProcess anyAlive() {
        List<SimProcess> alive =
                simulation.processes().stream().filter(SimProcess::alive).toList();
        return alive.isEmpty() ? null : random.any(alive);
    }

    private void crash() {
        SimProcess process = anyAlive();
        if (process != null) {
            crash(process);
        }
    }

    private void crash(SimProcess process) {
        simulation.trace(() -> process + " crashes");
        process.crash();
        timeline.in(random.delay(800, 3_000), () -> simulation.broker.gone(process));
        startAnother();
    }

    private void startAnother() {
        timeline.in(random.delay(300, 3_000), () -> {
            long alive =
                    simulation.processes().stream().filter(SimProcess::alive).count();
            if (alive < Math.max(1, plan.processes())) {
                simulation.start();
            }
        });
    }

    private void freeze() {
        SimProcess process = anyAlive();
        if (process != null && !process.frozen()) {
            long millis = random.delay(1_500, 8_000);
            simulation.trace(() -> process + " freezes for " + millis);
            process.freeze();
            timeline.in(random.delay(1_500, 1_500), () -> {
                if (process.frozen()) {
                    simulation.broker.kick(process);
                }
            });
            timeline.in(millis, () -> thaw(process));
        }
    }

    void thaw(SimProcess process) {
        if (process.frozen()) {
            simulation.trace(() -> process + " thaws");
            process.thaw();
        }
    }

    private void cutOff() {
        SimProcess process = anyAlive();
        if (process != null && !process.cutOff()) {
            simulation.trace(() -> process + " is cut off from the broker");
            process.cutOff(true);
            timeline.in(random.delay(1_500, 1_500), () -> {
                if (process.cutOff()) {
                    simulation.broker.kick(process);
                }
            });
            timeline.in(random.delay(1_500, 8_000), () -> process.cutOff(false));
        }
    }

    private void leave() {
        SimProcess process = anyAlive();
        if (process != null && !process.leaving()) {
            simulation.trace(() -> process + " leaves");
            process.leave();
            startAnother();
        }
    }

    // ---- operators ----

    /** Offsets can be changed, and topics created again, only while nobody consumes. */
    private void operate() {
        simulation.processes().stream().filter(SimProcess::alive).toList().forEach(this::crash);
        timeline.in(random.between(1, 300), () -> {
            if (simulation.processes().stream().noneMatch(SimProcess::alive)) {
                operateOn(random.any(simulation.partitions()));
            }
        });
    }

    private void operateOn(Partition partition) {
        if (random.percent(30)) {
            simulation.trace(() -> "the group's offsets of " + partition.name() + " are gone");
            simulation.broker.forget(partition);
            return;
        }
        simulation.oracle.operated(partition);
        if (random.percent(30)) {
            simulation.trace(() -> "the topic of " + partition.name() + " is created again");
            for (SimTask task : simulation.oracle.tasks()) {
                task.recordGone |= task.partition.equals(partition);
            }
            simulation.broker.recreate(partition);
        } else {
            long to = random.below((int) Math.max(1, simulation.broker.startOf(partition)));
            simulation.trace(() -> partition.name() + " is rewound to " + to);
            simulation.broker.rewind(partition, to);
        }
    }
}
