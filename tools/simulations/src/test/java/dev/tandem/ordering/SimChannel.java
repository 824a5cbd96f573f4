package dev.tandem.ordering;

import dev.tandem.ordering.SimQueueBroker.Message;
import dev.tandem.task.Partition;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;

/** A process's channel to one sub-queue, with both of its ends. */
final class SimChannel {

    /** A delivery on its way to the core. */
    record Arrival(long sequence, Message message, boolean flagged) {}

    final SimProcess process;
    final Partition partition;
    final long number;

    // ---- the broker's end ----

    boolean attached;
    long tag;
    final Map<Long, Message> unacked = new LinkedHashMap<>();

    // ---- what is on its way ----

    final ArrayDeque<Runnable> toBroker = new ArrayDeque<>();
    final ArrayDeque<Runnable> toClient = new ArrayDeque<>();
    long lastToBroker;
    long lastToClient;

    // ---- the client's end ----

    final ArrayDeque<Arrival> arrived = new ArrayDeque<>();
    final Map<Long, Message> delivered = new LinkedHashMap<>();
    /** How many deliveries were handed to the core. */
    long taken;
    /** The broker was asked how many messages earlier channels left. */
    boolean counting;

    boolean caughtUp;
    /** After so many deliveries it has caught up. */
    long caughtUpAt = Long.MAX_VALUE;

    SimChannel(SimProcess process, Partition partition, long number) {
        this.process = process;
        this.partition = partition;
        this.number = number;
    }

    @Override
    public String toString() {
        return process + "'s channel " + number + " to " + partition.name();
    }
}
