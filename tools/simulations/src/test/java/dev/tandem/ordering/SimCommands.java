package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Recall;
import dev.tandem.task.store.StoreRequest;
import java.util.Collection;

/** Carries out what the core of a simulated process orders. */
class SimCommands implements Commands {

    private final SimProcess process;
    private final Simulation simulation;
    private boolean any;

    SimCommands(SimProcess process) {
        this.process = process;
        this.simulation = process.simulation;
    }

    /** Whether the core ordered anything since this was asked last. */
    final boolean takeAny() {
        boolean was = any;
        any = false;
        return was;
    }

    @Override
    public void send(StoreRequest request) {
        any = true;
        SimStoreLink link = process.link(request.partition());
        checkRoom(link, request);
        if (request instanceof StoreRequest.DeclineOffers decline) {
            simulation.oracle.declines(process, decline);
        }
        simulation.oracle.unhandled.sends(request);
        simulation.oracle.sends(request);
        link.send(request);
    }

    /**
     * A fresh task does not start without room. One with a key may, if a stored one waits for it; and any may to make place
     * in a small memory.
     */
    private void checkRoom(SimStoreLink link, StoreRequest request) {
        boolean small = simulation.plan.policy().maxInMemory() < 100;
        if (request instanceof StoreRequest.SettleAndClaim settleAndClaim && !link.knowsRoom() && !small) {
            for (StoreRequest.Claim claim : settleAndClaim.claims()) {
                Oracle.check(
                        claim.inStore() || claim.key() != null,
                        () -> process + " claims " + claim + " though the store has no room if it fails");
            }
        }
    }

    @Override
    public void reach(Partition partition) {
        any = true;
        SimStoreLink link = process.link(partition);
        if (link == null) {
            process.openLink(partition);
        } else if (link.up()) {
            process.post(() -> process.core.storeUp(partition));
        }
    }

    @Override
    public void start(Run run) {
        any = true;
        process.workers.start(run);
    }

    @Override
    public void commit(Partition partition, long upTo) {
        any = true;
        ConsumedPartition consumed = process.consumed.get(partition);
        if (consumed != null) {
            simulation.oracle.commits(process, partition, upTo, consumed.fetch);
            simulation.broker.commit(process, partition, upTo);
        }
    }

    @Override
    public void ack(Partition partition, Collection<Long> sequences) {
        any = true;
    }

    @Override
    public void open(Partition partition) {
        any = true;
        ConsumedPartition consumed = process.consumed.get(partition);
        if (consumed != null) {
            consumed.opened = true;
            consumed.fetch = simulation.cuts.opened(process, partition, consumed);
        }
    }

    @Override
    public void pause(Partition partition) {
        any = true;
        ConsumedPartition consumed = process.consumed.get(partition);
        if (consumed != null) {
            consumed.paused = true;
        }
    }

    @Override
    public void resume(Partition partition) {
        any = true;
        ConsumedPartition consumed = process.consumed.get(partition);
        if (consumed != null) {
            consumed.paused = false;
        }
    }

    @Override
    public void rewind(Partition partition) {
        any = true;
        simulation.trace(() -> process + " rewinds " + partition.name());
        ConsumedPartition consumed = process.consumed.get(partition);
        if (consumed != null) {
            consumed.fetch = simulation.cuts.rewound(partition, consumed);
            simulation.oracle.forgetsLanes(process, partition);
        }
    }

    @Override
    public void cutRecorded(Partition partition) {
        any = true;
        simulation.trace(() -> process + " knows that the store durably knows of the cut of " + partition.name());
        simulation.cuts.recorded(process, partition);
    }

    @Override
    public void recall(Partition partition, Recall recall) {
        any = true;
        simulation.trace(() -> process + " recalls " + partition.name() + " " + recall);
        simulation.broker.recall(process, partition, recall);
    }

    @Override
    public void confirm(Partition partition) {
        any = true;
        if (process.consumes(partition)) {
            simulation.broker.confirm(process, partition);
        }
    }

    @Override
    public void left(Partition partition) {
        any = true;
        simulation.trace(() -> process + " left " + partition.name());
        simulation.oracle.noStarts(process, partition);
        simulation.oracle.left(process, partition);
        process.left(partition);
    }
}
