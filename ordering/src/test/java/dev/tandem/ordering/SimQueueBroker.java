package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A queue broker: each partition is a sub-queue with a single active consumer, or all compete for one queue; the group of {@link SimLogBroker} is the
 * plan of who should lease what. What a channel leaves unacked goes back to its place, flagged. Acks may be lost with
 * their channel, also on an orderly close, and the flag may be set without need.
 */
final class SimQueueBroker extends SimLogBroker {

    /** One message. Twins share an identity: published twice, or of the same content. */
    static final class Message {
        final SimTask rec;
        final String identity;
        final long place;
        boolean flagged;

        Message(SimTask rec, String identity, long place) {
            this.rec = rec;
            this.identity = identity;
            this.place = place;
        }

        @Override
        public String toString() {
            return rec + " " + identity.charAt(0) + (flagged ? " again" : "");
        }
    }

    /** A delivery on its way to the loop. */
    record Arrival(long sequence, Message message, boolean flagged) {}

    /** A process's channel to one sub-queue, seen from both ends. */
    static final class Channel {
        final SimProcess proc;
        final Partition partition;
        final long number;
        /** The broker's end. */
        boolean attached;

        long tag;
        final Map<Long, Message> unacked = new LinkedHashMap<>();
        final ArrayDeque<Runnable> toBroker = new ArrayDeque<>();
        final ArrayDeque<Runnable> toClient = new ArrayDeque<>();
        long lastToBroker;
        long lastToClient;
        /** The client's end. */
        final ArrayDeque<Arrival> arrived = new ArrayDeque<>();

        final Map<Long, Message> delivered = new LinkedHashMap<>();
        long taken;
        boolean counting;
        boolean caughtUp;
        long caughtUpAt = Long.MAX_VALUE;

        Channel(SimProcess proc, Partition partition, long number) {
            this.proc = proc;
            this.partition = partition;
            this.number = number;
        }

        @Override
        public String toString() {
            return proc + "'s channel " + number + " to " + partition.name();
        }
    }

    private static final class SubQueue {
        final TreeMap<Long, Message> ready = new TreeMap<>();
        final List<Channel> channels = new ArrayList<>();
        long published;
        long remaining;
    }

    private static final int TAG_BITS = 40;

    private final Simulation world;
    private final Map<Partition, SubQueue> queues = new LinkedHashMap<>();
    private final int prefetch;
    private final int namelessPercent;
    private final int twinPercent;
    private final int flagPercent;
    private final int keptBackPercent;
    private long channels;

    SimQueueBroker(Simulation world, List<Partition> partitions) {
        super(world, partitions);
        this.world = world;
        SubQueue one = new SubQueue();
        partitions.forEach(partition -> queues.put(partition, world.plan.shared() ? one : new SubQueue()));
        prefetch = world.random.percent(30) ? world.random.between(1, 4) : 100;
        namelessPercent = world.random.percent(50) ? world.random.below(100) : 0;
        twinPercent = world.random.percent(40) ? world.random.below(40) : 0;
        // With few at a time, needless flags could hide for ever that nothing is left to come again.
        flagPercent = prefetch == 100 && world.random.percent(40) ? world.random.below(30) : 0;
        keptBackPercent = world.random.percent(30) ? world.random.below(20) : 0;
    }

    private SubQueue queue(Partition partition) {
        return queues.get(partition);
    }

    // ---- messages ----

    @Override
    void publish(SimTask rec) {
        String letter = world.random.percent(namelessPercent) ? "c" : "m";
        String identity = letter + String.format("%012d", rec.id);
        add(rec, identity);
        if (world.random.percent(twinPercent)) {
            SimTask twin =
                    world.oracle.publish(rec.partition, rec.key, end(rec.partition), rec.notBefore, rec.unreadable);
            world.trace(() -> "published " + twin + " as a twin of " + rec);
            add(twin, identity);
        }
    }

    private void add(SimTask rec, String identity) {
        SubQueue queue = queue(rec.partition);
        ((QueueOracle) world.oracle).named(rec, identity);
        queue.ready.put(queue.published, new Message(rec, identity, queue.published));
        queue.published++;
        queue.remaining++;
        pump(queue);
    }

    @Override
    long end(Partition partition) {
        return queue(partition).published;
    }

    /** What is still to be acked counts as not passed. */
    @Override
    long startOf(Partition partition) {
        return queue(partition).published - queue(partition).remaining;
    }

    @Override
    Source.Facts facts(Partition partition, SimProcess proc) {
        return Source.Facts.NONE;
    }

    /** Whether it is not acked yet. */
    boolean has(SimTask rec) {
        SubQueue queue = queue(rec.partition);
        return queue.ready.values().stream().anyMatch(message -> message.rec == rec)
                || queue.channels.stream()
                        .anyMatch(channel -> channel.unacked.values().stream().anyMatch(message -> message.rec == rec));
    }

    // ---- channels ----

    Channel open(SimProcess proc, Partition partition) {
        Channel channel = new Channel(proc, partition, ++channels);
        toBroker(channel, () -> {
            if (isMember(proc)) {
                channel.attached = true;
                queue(partition).channels.add(channel);
                world.trace(() -> channel + " is open");
                pump(queue(partition));
            }
        });
        return channel;
    }

    void ack(Channel channel, long sequence) {
        long tag = sequence & (1L << TAG_BITS) - 1;
        toBroker(channel, () -> {
            if (world.random.percent(keptBackPercent)) {
                world.timeline.in(world.random.delay(100, 3_000), () -> acked(channel, tag));
            } else {
                acked(channel, tag);
            }
        });
    }

    private void acked(Channel channel, long tag) {
        if (channel.attached && channel.unacked.remove(tag) != null) {
            SubQueue queue = queue(channel.partition);
            queue.remaining--;
            pump(queue);
        }
    }

    /** After what was sent before. */
    void close(Channel channel) {
        toBroker(channel, () -> detach(channel));
    }

    private void detach(Channel channel) {
        SubQueue queue = queue(channel.partition);
        if (!queue.channels.remove(channel)) {
            return;
        }
        channel.attached = false;
        for (Message message : channel.unacked.values()) {
            message.flagged = true;
            queue.ready.put(message.place, message);
        }
        world.trace(() -> channel + " ends and gives back " + channel.unacked.values());
        channel.unacked.clear();
        pump(queue);
    }

    private void pump(SubQueue queue) {
        while (!queue.ready.isEmpty()) {
            Channel active = next(queue);
            if (active == null) {
                return;
            }
            Message message = queue.ready.pollFirstEntry().getValue();
            long tag = ++active.tag;
            active.unacked.put(tag, message);
            boolean flagged = message.flagged || world.random.percent(flagPercent);
            toClient(active, () -> {
                active.arrived.add(new Arrival(active.number << TAG_BITS | tag, message, flagged));
                active.proc.wake(world.random.delay(0, 10));
            });
        }
    }

    /** The channel that gets the next message: the one that is active, or any that has room. */
    private @Nullable Channel next(SubQueue queue) {
        List<Channel> candidates =
                world.plan.shared() ? queue.channels : queue.channels.subList(0, Math.min(1, queue.channels.size()));
        List<Channel> able = candidates.stream()
                .filter(channel -> channel.unacked.size() < prefetch)
                .toList();
        return able.isEmpty() ? null : able.size() == 1 ? able.get(0) : world.random.any(able);
    }

    /** Whether this process has a channel of this partition on which it is delivered and not acked. */
    boolean isWith(SimProcess proc, Partition partition, SimTask rec) {
        return queue(partition).channels.stream()
                .filter(channel -> channel.proc == proc && channel.partition.equals(partition))
                .anyMatch(channel -> channel.unacked.values().stream().anyMatch(message -> message.rec == rec));
    }

    /** How many deliveries of this channel bring all that earlier ones left. */
    void count(Channel channel) {
        toBroker(channel, () -> {
            SubQueue queue = queue(channel.partition);
            boolean alone = channel.attached && queue.channels.size() == 1;
            long count = alone ? channel.tag + queue.ready.size() : Long.MAX_VALUE;
            toClient(channel, () -> {
                channel.counting = false;
                channel.caughtUpAt = Math.min(channel.caughtUpAt, count);
                channel.proc.wake(0);
            });
        });
    }

    @Override
    void confirm(SimProcess proc, Partition partition) {
        Channel channel = ((QueueSimProcess) proc).channel(partition);
        if (channel == null) {
            // Nothing was consumed yet, so nothing could have been taken away.
            proc.notice(true, () -> proc.confirmed(partition, Source.Facts.NONE));
            return;
        }
        toBroker(channel, () -> {
            if (channel.attached) {
                toClient(
                        channel,
                        () -> proc.notice(true, () -> {
                            if (((QueueSimProcess) proc).channel(partition) == channel) {
                                proc.confirmed(partition, Source.Facts.NONE);
                            }
                        }));
            }
        });
    }

    private void toBroker(Channel channel, Runnable what) {
        channel.toBroker.add(what);
        channel.lastToBroker = Math.max(channel.lastToBroker, world.timeline.now() + world.random.delay(3, 50));
        world.timeline.at(channel.lastToBroker, () -> reachBroker(channel));
    }

    private void reachBroker(Channel channel) {
        SimProcess proc = channel.proc;
        if (proc.cutOff()) {
            world.timeline.in(50, () -> reachBroker(channel));
            return;
        }
        if (!proc.alive() && !proc.leaving() && world.random.percent(40)) {
            channel.toBroker.clear();
        }
        Runnable first = channel.toBroker.poll();
        if (first != null) {
            first.run();
        }
    }

    private void toClient(Channel channel, Runnable what) {
        channel.toClient.add(what);
        channel.lastToClient = Math.max(channel.lastToClient, world.timeline.now() + world.random.delay(3, 50));
        world.timeline.at(channel.lastToClient, () -> reachClient(channel));
    }

    private void reachClient(Channel channel) {
        if (channel.proc.cutOff()) {
            world.timeline.in(50, () -> reachClient(channel));
            return;
        }
        Runnable first = channel.toClient.poll();
        if (first != null && channel.proc.alive()) {
            first.run();
        }
    }

    // ---- the group, and what befalls channels ----

    @Override
    void shake() {
        if (world.random.percent(50)) {
            breakChannel();
        } else {
            super.shake();
        }
    }

    private void breakChannel() {
        List<Channel> open = new ArrayList<>();
        new LinkedHashSet<>(queues.values()).forEach(queue -> open.addAll(queue.channels));
        if (open.isEmpty()) {
            return;
        }
        Channel channel = world.random.any(open);
        world.trace(() -> channel + " breaks");
        detach(channel);
        toClient(
                channel,
                () -> channel.proc.notice(true, () -> {
                    if (((QueueSimProcess) channel.proc).channel(channel.partition) == channel) {
                        channel.proc.lose(channel.partition);
                    }
                }));
    }

    /** It gave the partition up without being asked; the plan may give it back. */
    void gaveUp(SimProcess proc, Partition partition) {
        world.timeline.in(world.random.delay(5, 500), () -> {
            if (proc.alive() && isMember(proc) && isHolder(proc, partition) && !proc.consumes(partition)) {
                proc.notice(false, () -> {
                    if (isHolder(proc, partition)) {
                        proc.assign(partition, Source.Facts.NONE);
                    }
                });
            }
        });
    }

    @Override
    void gone(SimProcess proc) {
        super.gone(proc);
        disconnect(proc);
    }

    @Override
    void kick(SimProcess proc) {
        boolean connected = isMember(proc);
        super.kick(proc);
        if (connected) {
            disconnect(proc);
        }
    }

    private void disconnect(SimProcess proc) {
        for (SubQueue queue : new LinkedHashSet<>(queues.values())) {
            for (Channel channel : List.copyOf(queue.channels)) {
                if (channel.proc == proc) {
                    detach(channel);
                }
            }
        }
    }
}
