package dev.tandem.ordering;

import dev.tandem.ordering.SimChannel.Arrival;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A process that consumes message queues, with a channel to each partition that it has opened. */
final class QueueSimProcess extends SimProcess {

    final Map<Partition, SimChannel> channels = new LinkedHashMap<>();
    private final Set<Partition> left = new HashSet<>();

    QueueSimProcess(Simulation simulation, String id) {
        super(simulation, id, process -> new QueueSimCommands((QueueSimProcess) process));
    }

    SimQueueBroker broker() {
        return (SimQueueBroker) simulation.broker;
    }

    QueueOracle oracle() {
        return (QueueOracle) simulation.oracle;
    }

    @Nullable
    SimChannel channel(Partition partition) {
        return channels.get(partition);
    }

    @Override
    boolean toFetch() {
        for (Map.Entry<Partition, SimChannel> entry : channels.entrySet()) {
            ConsumedPartition known = consumed.get(entry.getKey());
            if (known != null && !known.paused && !entry.getValue().arrived.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    @Override
    boolean fetch() {
        boolean any = false;
        for (Partition partition : new ArrayList<>(channels.keySet())) {
            SimChannel channel = channels.get(partition);
            ConsumedPartition known = consumed.get(partition);
            if (known == null || known.paused) {
                continue;
            }
            List<Delivery> deliveries = new ArrayList<>();
            for (int i = simulation.random.between(1, 5); i > 0 && !channel.arrived.isEmpty(); i--) {
                Arrival arrival = channel.arrived.remove();
                channel.taken++;
                if (!arrival.flagged()) {
                    // Messages that earlier channels left are delivered before new ones.
                    channel.caughtUpAt = Math.min(channel.caughtUpAt, channel.taken);
                }
                channel.delivered.put(arrival.sequence(), arrival.message());
                deliveries.add(arrival.message()
                        .task
                        .delivery(arrival.sequence(), arrival.message().identity, arrival.flagged()));
                simulation.trace(() -> this + " gets " + partition.name() + " " + arrival.message()
                        + (arrival.flagged() ? " flagged" : ""));
            }
            if (!deliveries.isEmpty()) {
                core.delivered(partition, deliveries, -1);
                any = true;
            }
        }
        return any;
    }

    @Override
    boolean catchUp() {
        boolean any = false;
        if (simulation.plan.shared()) {
            // Other channels may hold messages that they will give back.
            return false;
        }
        for (Map.Entry<Partition, SimChannel> entry : new LinkedHashMap<>(channels).entrySet()) {
            SimChannel channel = entry.getValue();
            if (channel.caughtUp) {
                continue;
            }
            if (channel.taken >= channel.caughtUpAt) {
                channel.caughtUp = true;
                simulation.trace(
                        () -> this + " has caught up with " + entry.getKey().name());
                core.caughtUp(entry.getKey());
                any = true;
            } else if (!channel.counting && channel.caughtUpAt == Long.MAX_VALUE && simulation.random.percent(30)) {
                channel.counting = true;
                broker().count(channel);
            }
        }
        return any;
    }

    /** The core has left it; the broker is told at the end of the turn. */
    void gaveUp(Partition partition) {
        left.add(partition);
    }

    @Override
    void handBack() {
        super.handBack();
        left.forEach(partition -> broker().gaveUp(this, partition));
        left.clear();
    }
}
