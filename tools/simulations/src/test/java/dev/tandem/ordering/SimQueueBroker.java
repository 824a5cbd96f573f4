package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A simulated broker of message queues: each partition is a sub-queue with a single active consumer, or all partitions
 * compete for one queue. The group of {@link SimLogBroker} plans who should lease which partition.
 *
 * <p>Messages that a channel leaves unacked go back to their place, flagged as redelivered. Acks may be lost with their
 * channel, even when it is closed in good order, and the flag may be set without need.
 */
final class SimQueueBroker extends SimLogBroker {

    /** One message. Twins share an identity: published twice, or of the same content. */
    static final class Message {
        final SimTask task;
        final String identity;
        final long place;
        /** Whether the message was delivered before. */
        boolean flagged;

        Message(SimTask task, String identity, long place) {
            this.task = task;
            this.identity = identity;
            this.place = place;
        }

        @Override
        public String toString() {
            return task + " " + identity.charAt(0) + (flagged ? " again" : "");
        }
    }

    private static final class SubQueue {
        final TreeMap<Long, Message> ready = new TreeMap<>();
        final List<SimChannel> channels = new ArrayList<>();
        long published;
        long remaining;
    }

    private static final int TAG_BITS = 40;

    private final Simulation simulation;
    private final Map<Partition, SubQueue> queues = new LinkedHashMap<>();
    private final int prefetch;
    private final int namelessPercent;
    private final int twinPercent;
    private final int flagPercent;
    private final int keptBackPercent;
    private long channels;

    SimQueueBroker(Simulation simulation, List<Partition> partitions) {
        super(simulation, partitions);
        this.simulation = simulation;
        SubQueue one = new SubQueue();
        partitions.forEach(partition -> queues.put(partition, simulation.plan.shared() ? one : new SubQueue()));
        prefetch = simulation.random.percent(30) ? simulation.random.between(1, 4) : 100;
        namelessPercent = simulation.random.percent(50) ? simulation.random.below(100) : 0;
        twinPercent = simulation.random.percent(40) ? simulation.random.below(40) : 0;
        // With a small prefetch, needless flags could hide for ever that no redelivery is left.
        flagPercent = prefetch == 100 && simulation.random.percent(40) ? simulation.random.below(30) : 0;
        keptBackPercent = simulation.random.percent(30) ? simulation.random.below(20) : 0;
    }

    private SubQueue queue(Partition partition) {
        return queues.get(partition);
    }

    // ---- messages ----

    @Override
    void publish(SimTask task) {
        String letter = simulation.random.percent(namelessPercent) ? "c" : "m";
        String identity = letter + String.format("%012d", task.id);
        add(task, identity);
        if (simulation.random.percent(twinPercent)) {
            SimTask twin = simulation.oracle.publish(
                    task.partition, task.key, end(task.partition), task.notBefore, task.unreadable);
            simulation.trace(() -> "published " + twin + " as a twin of " + task);
            add(twin, identity);
        }
    }

    private void add(SimTask task, String identity) {
        SubQueue queue = queue(task.partition);
        ((QueueOracle) simulation.oracle).named(task, identity);
        queue.ready.put(queue.published, new Message(task, identity, queue.published));
        queue.published++;
        queue.remaining++;
        deliver(queue);
    }

    @Override
    long end(Partition partition) {
        return queue(partition).published;
    }

    /** Unacked messages count as not read yet. */
    @Override
    long startOf(Partition partition) {
        return queue(partition).published - queue(partition).remaining;
    }

    @Override
    Source.Facts facts(Partition partition, SimProcess process) {
        return Source.Facts.NONE;
    }

    /** Whether the broker still has this task's message: it was not acked. */
    boolean has(SimTask task) {
        SubQueue queue = queue(task.partition);
        return queue.ready.values().stream().anyMatch(message -> message.task == task)
                || queue.channels.stream()
                        .anyMatch(
                                channel -> channel.unacked.values().stream().anyMatch(message -> message.task == task));
    }

    // ---- channels ----

    SimChannel open(SimProcess process, Partition partition) {
        SimChannel channel = new SimChannel(process, partition, ++channels);
        toBroker(channel, () -> {
            if (isMember(process)) {
                channel.attached = true;
                queue(partition).channels.add(channel);
                simulation.trace(() -> channel + " is open");
                deliver(queue(partition));
            }
        });
        return channel;
    }

    void ack(SimChannel channel, long sequence) {
        long tag = sequence & (1L << TAG_BITS) - 1;
        toBroker(channel, () -> {
            if (simulation.random.percent(keptBackPercent)) {
                simulation.timeline.in(simulation.random.delay(100, 3_000), () -> acked(channel, tag));
            } else {
                acked(channel, tag);
            }
        });
    }

    private void acked(SimChannel channel, long tag) {
        if (channel.attached && channel.unacked.remove(tag) != null) {
            SubQueue queue = queue(channel.partition);
            queue.remaining--;
            deliver(queue);
        }
    }

    /** Closes a channel, after all that was sent on it before. */
    void close(SimChannel channel) {
        toBroker(channel, () -> detach(channel));
    }

    private void detach(SimChannel channel) {
        SubQueue queue = queue(channel.partition);
        if (!queue.channels.remove(channel)) {
            return;
        }
        channel.attached = false;
        for (Message message : channel.unacked.values()) {
            message.flagged = true;
            queue.ready.put(message.place, message);
        }
        simulation.trace(() -> channel + " ends and gives back " + channel.unacked.values());
        channel.unacked.clear();
        deliver(queue);
    }

    private void deliver(SubQueue queue) {
        while (!queue.ready.isEmpty()) {
            SimChannel active = next(queue);
            if (active == null) {
                return;
            }
            Message message = queue.ready.pollFirstEntry().getValue();
            long tag = ++active.tag;
            active.unacked.put(tag, message);
            boolean flagged = message.flagged || simulation.random.percent(flagPercent);
            toClient(active, () -> {
                active.arrived.add(new SimChannel.Arrival(active.number << TAG_BITS | tag, message, flagged));
                active.process.wake(simulation.random.delay(0, 10));
            });
        }
    }

    /** Returns the channel that gets the next message: the active one, or any that has room. */
    private @Nullable SimChannel next(SubQueue queue) {
        List<SimChannel> candidates = simulation.plan.shared()
                ? queue.channels
                : queue.channels.subList(0, Math.min(1, queue.channels.size()));
        List<SimChannel> withRoom = candidates.stream()
                .filter(channel -> channel.unacked.size() < prefetch)
                .toList();
        return withRoom.isEmpty() ? null : withRoom.size() == 1 ? withRoom.get(0) : simulation.random.any(withRoom);
    }

    /** Whether a task's message is delivered and not acked on this process's channel of the partition. */
    boolean isWith(SimProcess process, Partition partition, SimTask task) {
        return queue(partition).channels.stream()
                .filter(channel -> channel.process == process && channel.partition.equals(partition))
                .anyMatch(channel -> channel.unacked.values().stream().anyMatch(message -> message.task == task));
    }

    /** Tells the client how many deliveries of this channel bring all that earlier channels left. */
    void count(SimChannel channel) {
        toBroker(channel, () -> {
            SubQueue queue = queue(channel.partition);
            boolean alone = channel.attached && queue.channels.size() == 1;
            long count = alone ? channel.tag + queue.ready.size() : Long.MAX_VALUE;
            toClient(channel, () -> {
                channel.counting = false;
                channel.caughtUpAt = Math.min(channel.caughtUpAt, count);
                channel.process.wake(0);
            });
        });
    }

    @Override
    void confirm(SimProcess process, Partition partition) {
        SimChannel channel = ((QueueSimProcess) process).channel(partition);
        if (channel == null) {
            // Without a channel there is nothing that the broker could have taken away.
            process.notice(true, () -> process.confirmed(partition, Source.Facts.NONE));
            return;
        }
        toBroker(channel, () -> {
            if (channel.attached) {
                toClient(
                        channel,
                        () -> process.notice(true, () -> {
                            if (((QueueSimProcess) process).channel(partition) == channel) {
                                process.confirmed(partition, Source.Facts.NONE);
                            }
                        }));
            }
        });
    }

    private void toBroker(SimChannel channel, Runnable what) {
        channel.toBroker.add(what);
        channel.lastToBroker =
                Math.max(channel.lastToBroker, simulation.timeline.now() + simulation.random.delay(3, 50));
        simulation.timeline.at(channel.lastToBroker, () -> reachBroker(channel));
    }

    private void reachBroker(SimChannel channel) {
        SimProcess process = channel.process;
        if (process.cutOff()) {
            simulation.timeline.in(50, () -> reachBroker(channel));
            return;
        }
        if (!process.alive() && !process.leaving() && simulation.random.percent(40)) {
            channel.toBroker.clear();
        }
        Runnable first = channel.toBroker.poll();
        if (first != null) {
            first.run();
        }
    }

    private void toClient(SimChannel channel, Runnable what) {
        channel.toClient.add(what);
        channel.lastToClient =
                Math.max(channel.lastToClient, simulation.timeline.now() + simulation.random.delay(3, 50));
        simulation.timeline.at(channel.lastToClient, () -> reachClient(channel));
    }

    private void reachClient(SimChannel channel) {
        if (channel.process.cutOff()) {
            simulation.timeline.in(50, () -> reachClient(channel));
            return;
        }
        Runnable first = channel.toClient.poll();
        if (first != null && channel.process.alive()) {
            first.run();
        }
    }

    // ---- the group, and faults of channels ----

    @Override
    void disturb() {
        if (simulation.random.percent(50)) {
            breakChannel();
        } else {
            super.disturb();
        }
    }

    private void breakChannel() {
        List<SimChannel> open = new ArrayList<>();
        new LinkedHashSet<>(queues.values()).forEach(queue -> open.addAll(queue.channels));
        if (open.isEmpty()) {
            return;
        }
        SimChannel channel = simulation.random.any(open);
        simulation.trace(() -> channel + " breaks");
        detach(channel);
        toClient(
                channel,
                () -> channel.process.notice(true, () -> {
                    if (((QueueSimProcess) channel.process).channel(channel.partition) == channel) {
                        channel.process.lose(channel.partition);
                    }
                }));
    }

    /** A process gave a partition up on its own. The group may assign it again. */
    void gaveUp(SimProcess process, Partition partition) {
        simulation.timeline.in(simulation.random.delay(5, 500), () -> {
            if (process.alive() && isMember(process) && isHolder(process, partition) && !process.consumes(partition)) {
                process.notice(false, () -> {
                    if (isHolder(process, partition)) {
                        process.assign(partition, Source.Facts.NONE);
                    }
                });
            }
        });
    }

    @Override
    void gone(SimProcess process) {
        super.gone(process);
        disconnect(process);
    }

    @Override
    void kick(SimProcess process) {
        boolean connected = isMember(process);
        super.kick(process);
        if (connected) {
            disconnect(process);
        }
    }

    private void disconnect(SimProcess process) {
        for (SubQueue queue : new LinkedHashSet<>(queues.values())) {
            for (SimChannel channel : List.copyOf(queue.channels)) {
                if (channel.process == process) {
                    detach(channel);
                }
            }
        }
    }
}
