package dev.tandem.scheduler;

import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.HandlerPeer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The executors that were alive at the last {@linkplain Heartbeat heartbeat}. Thread-safe. */
final class LiveExecutors {

    /**
     * An executor that was silent for longer counts as dead, and others try to acquire its partitions. That is three
     * heartbeats, and well before its leases run out: until then the store refuses, afterwards no time is lost.
     */
    static final long SILENT_MILLIS = 8_000;

    private volatile List<Presence.Executor> known = List.of();

    /** The types for which executors have handlers, by id and queue. No executor ever changes them, so they are read once. */
    private final Map<String, Map<String, HandledTypes>> handlers = new ConcurrentHashMap<>();

    private volatile Map<String, Set<String>> working = Map.of();

    void update(List<Presence.Executor> executors) {
        known = List.copyOf(executors);
        handlers.keySet().retainAll(ids());
    }

    /** Returns the ids of executors whose handlers are not known yet. */
    Set<String> withUnknownHandlers() {
        Set<String> unknown = new HashSet<>(ids());
        unknown.removeAll(handlers.keySet());
        return unknown;
    }

    /** Replaces the queues that executors work on. */
    void working(Map<String, Set<String>> queues) {
        working = queues;
    }

    void learn(Map<String, Map<String, HandledTypes>> announced) {
        handlers.putAll(announced);
    }

    /** Returns the live executors that announce handlers for a queue. */
    List<HandlerPeer> announcing(String queue) {
        List<HandlerPeer> peers = new ArrayList<>();
        for (Presence.Executor each : live(known)) {
            HandledTypes handled = handlers.getOrDefault(each.id(), Map.of()).get(queue);
            if (handled != null) {
                peers.add(new HandlerPeer(
                        each.id(),
                        each.startedAt(),
                        working.getOrDefault(each.id(), Set.of()).contains(queue),
                        handled));
            }
        }
        return peers;
    }

    /** Returns the ids of all executors that Redis has not forgotten. */
    Set<String> ids() {
        return known.stream().map(Presence.Executor::id).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the ids of the live executors that take their share of a queue. */
    Set<String> of(String queue) {
        return live(known).stream()
                .filter(each -> each.running().containsKey(queue))
                .map(Presence.Executor::id)
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Returns the executors that are not silent. How long one was silent is measured from the time at which any executor was
     * last seen.
     */
    static List<Presence.Executor> live(List<Presence.Executor> executors) {
        long latest =
                executors.stream().mapToLong(Presence.Executor::lastSeen).max().orElse(0);
        return executors.stream()
                .filter(each -> each.lastSeen() >= latest - SILENT_MILLIS)
                .toList();
    }
}
