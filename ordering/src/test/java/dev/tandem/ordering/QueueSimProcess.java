package dev.tandem.ordering;

import dev.tandem.ordering.SimQueueBroker.Arrival;
import dev.tandem.ordering.SimQueueBroker.Channel;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A process that consumes from queues: a channel to each partition that it has open. */
final class QueueSimProcess extends SimProcess {

    private final Map<Partition, Channel> channels = new LinkedHashMap<>();
    private final Set<Partition> left = new HashSet<>();

    QueueSimProcess(Simulation world, String id) {
        super(world, id);
    }

    private SimQueueBroker broker() {
        return (SimQueueBroker) world.broker;
    }

    private QueueOracle oracle() {
        return (QueueOracle) world.oracle;
    }

    @Nullable
    Channel channel(Partition partition) {
        return channels.get(partition);
    }

    @Override
    boolean toFetch() {
        for (Map.Entry<Partition, Channel> entry : channels.entrySet()) {
            Consumed c = consumed.get(entry.getKey());
            if (c != null && !c.paused && !entry.getValue().arrived.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    @Override
    boolean fetch() {
        boolean any = false;
        for (Partition partition : new ArrayList<>(channels.keySet())) {
            Channel channel = channels.get(partition);
            Consumed c = consumed.get(partition);
            if (c == null || c.paused) {
                continue;
            }
            List<Delivery> deliveries = new ArrayList<>();
            for (int i = world.random.between(1, 5); i > 0 && !channel.arrived.isEmpty(); i--) {
                Arrival arrival = channel.arrived.remove();
                channel.taken++;
                if (!arrival.flagged()) {
                    // What was left comes before what was never delivered.
                    channel.caughtUpAt = Math.min(channel.caughtUpAt, channel.taken);
                }
                channel.delivered.put(arrival.sequence(), arrival.message());
                deliveries.add(arrival.message()
                        .rec
                        .delivery(arrival.sequence(), arrival.message().identity, arrival.flagged()));
                world.trace(() -> this + " gets " + partition.name() + " " + arrival.message()
                        + (arrival.flagged() ? " flagged" : ""));
            }
            if (!deliveries.isEmpty()) {
                core.delivered(partition, deliveries, -1);
                any = true;
            }
        }
        return any;
    }

    /** What a source tells besides deliveries. */
    @Override
    boolean catchUp() {
        boolean any = false;
        if (world.plan.shared()) {
            // Nobody knows what others have not given back yet.
            return false;
        }
        for (Map.Entry<Partition, Channel> entry : new LinkedHashMap<>(channels).entrySet()) {
            Channel channel = entry.getValue();
            if (channel.caughtUp) {
                continue;
            }
            if (channel.taken >= channel.caughtUpAt) {
                channel.caughtUp = true;
                world.trace(() -> this + " has caught up with " + entry.getKey().name());
                core.caughtUp(entry.getKey());
                any = true;
            } else if (!channel.counting && channel.caughtUpAt == Long.MAX_VALUE && world.random.percent(30)) {
                channel.counting = true;
                broker().count(channel);
            }
        }
        return any;
    }

    @Override
    public void ack(Partition partition, Collection<Long> sequences) {
        super.ack(partition, sequences);
        Channel channel = channels.get(partition);
        for (long sequence : sequences) {
            if (channel != null && channel.delivered.containsKey(sequence)) {
                oracle().acks(this, channel.delivered.get(sequence));
                broker().ack(channel, sequence);
            }
        }
    }

    @Override
    public void open(Partition partition) {
        super.open(partition);
        oracle().that(!channels.containsKey(partition), () -> this + " opens " + partition + " twice");
        if (consumes(partition)) {
            channels.put(partition, broker().open(this, partition));
        }
    }

    @Override
    public void rewind(Partition partition) {
        super.rewind(partition);
        Channel old = channels.get(partition);
        if (old != null) {
            broker().close(old);
            channels.put(partition, broker().open(this, partition));
        }
    }

    @Override
    public void left(Partition partition) {
        super.left(partition);
        Channel channel = channels.remove(partition);
        if (channel != null) {
            broker().close(channel);
        }
        left.add(partition);
    }

    @Override
    void handBack() {
        super.handBack();
        left.forEach(partition -> broker().gaveUp(this, partition));
        left.clear();
    }
}
