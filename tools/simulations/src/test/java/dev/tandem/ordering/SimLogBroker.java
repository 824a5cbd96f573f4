package dev.tandem.ordering;

import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Recall;
import dev.tandem.task.Source;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A simulated log and its consumer group: cooperative rebalances, generations, sessions that end unnoticed. */
class SimLogBroker {

    private final Simulation simulation;
    private final Map<Partition, SimTopic> topics = new LinkedHashMap<>();
    /** The group's members, with the generation that each was told of. */
    private final Map<SimProcess, Integer> members = new LinkedHashMap<>();

    private final Map<Partition, SimProcess> holders = new LinkedHashMap<>();
    private final Map<Partition, SimProcess> nextHolders = new LinkedHashMap<>();
    /** How often each process has learned that it was out of the group. */
    private final Map<SimProcess, Integer> memberships = new HashMap<>();

    private final Map<SimProcess, Long> lastArrival = new LinkedHashMap<>();
    private int generation;
    private boolean planned;

    SimLogBroker(Simulation simulation, List<Partition> partitions) {
        this.simulation = simulation;
        partitions.forEach(partition -> topics.put(partition, new SimTopic()));
    }

    // ---- the log ----

    void publish(SimTask task) {
        topics.get(task.partition).log.add(task);
        for (SimProcess process : simulation.processes()) {
            if (process.consumes(task.partition)) {
                process.wake(simulation.random.delay(2, 20));
            }
        }
    }

    /** Adds an offset that is never delivered: an aborted or compacted record, or a marker. */
    void gap(Partition partition) {
        topics.get(partition).log.add(null);
    }

    long end(Partition partition) {
        return topics.get(partition).log.size();
    }

    /** Adds records to {@code into}. Returns the offset behind them. */
    long fetch(Partition partition, long from, int count, List<SimTask> into) {
        List<@Nullable SimTask> log = topics.get(partition).log;
        long at = Math.max(from, topics.get(partition).start);
        for (; at < log.size() && count > 0; at++, count--) {
            SimTask task = log.get((int) at);
            if (task != null) {
                into.add(task);
            }
        }
        return at;
    }

    /** Reads records again for a process, which learns of them later. It may fail, or end early. */
    void recall(SimProcess process, Partition partition, Recall recall) {
        // Some take so long that much happens meanwhile.
        long millis =
                simulation.random.percent(10) ? simulation.random.delay(100, 3_000) : simulation.random.delay(3, 100);
        simulation.timeline.in(millis, () -> {
            boolean fails = process.cutOff()
                    || simulation.random.percent(10)
                    || !simulation.cuts.knowsUpTo(process, partition, recall.upTo());
            List<SimTask> found = new ArrayList<>();
            List<@Nullable SimTask> log = topics.get(partition).log;
            long at = recall.from();
            long upTo = Math.min(recall.upTo(), log.size());
            // A source reads whole batches, so it may find more than it was asked for.
            int most = simulation.random.between(1, recall.maxTasks() + 8);
            for (; at < upTo && found.size() < most; at++) {
                SimTask task = recall.wants(at) ? log.get((int) at) : null;
                if (task != null && recall.wants(task.task())) {
                    found.add(task);
                }
            }
            long next = at < upTo ? at : recall.upTo();
            process.notice(false, () -> {
                if (process.consumes(partition) && fails) {
                    process.core.recallFailed(partition, recall.id());
                } else if (process.consumes(partition)) {
                    recalled(process, partition, recall.id(), found, next);
                }
            });
        });
    }

    private void recalled(SimProcess process, Partition partition, long id, List<SimTask> found, long next) {
        simulation.trace(() -> process + " gets again " + partition.name() + found + " next " + next);
        List<Delivery> deliveries = new ArrayList<>();
        found.forEach(task -> deliveries.add(task.delivery(task.offset, null, false)));
        process.core.recalled(partition, id, deliveries, next);
        simulation.oracle.recalled(process, partition, found);
    }

    /** Returns the offset at which reading starts. */
    long startOf(Partition partition) {
        SimTopic topic = topics.get(partition);
        return Math.max(topic.committed, topic.start);
    }

    long committed(Partition partition) {
        return topics.get(partition).committed;
    }

    String sourceId(Partition partition) {
        return topics.get(partition).id();
    }

    /** Returns the log of one topic, which may have been deleted since. */
    List<@Nullable SimTask> log(Partition partition, String sourceId) {
        return topics.get(partition).logs.get(sourceId);
    }

    List<@Nullable SimTask> log(Partition partition) {
        return topics.get(partition).log;
    }

    SimTopic topic(Partition partition) {
        return topics.get(partition);
    }

    Source.Facts facts(Partition partition, SimProcess process) {
        SimTopic topic = topics.get(partition);
        long committed = simulation.cuts.committed(process, partition, topic.committed);
        return new Source.Facts(process.generation, topic.id(), committed, topic.start).withLogEnd(topic.log.size());
    }

    // ---- operators, while nobody runs ----

    void rewind(Partition partition, long to) {
        topics.get(partition).committed = Math.max(topics.get(partition).start, to);
    }

    /** Deletes the group's offsets: reading starts at the log's start again. */
    void forget(Partition partition) {
        topics.get(partition).forget();
    }

    void recreate(Partition partition) {
        topics.get(partition).recreate();
    }

    // ---- the group ----

    void join(SimProcess process) {
        members.put(process, generation);
        rebalance(simulation.random.delay(10, 200));
    }

    /** A process left, or its session ended long ago. */
    void gone(SimProcess process) {
        members.remove(process);
        for (Partition partition : topics.keySet()) {
            if (holders.get(partition) == process) {
                holders.remove(partition);
                nextHolders.remove(partition);
            }
        }
        rebalance(simulation.random.delay(10, 200));
    }

    /** Disturbs the group. */
    void disturb() {
        rebalance(0);
    }

    final void rebalance(long millis) {
        if (!planned) {
            planned = true;
            simulation.timeline.in(millis, () -> {
                planned = false;
                rebalance();
            });
        }
    }

    private void rebalance() {
        for (SimProcess process : List.copyOf(members.keySet())) {
            if (process.frozen() || process.cutOff()) {
                kick(process);
            }
        }
        List<SimProcess> remaining = remaining();
        if (remaining.isEmpty()) {
            return;
        }
        begin();
        for (Partition partition : topics.keySet()) {
            SimProcess holder = holders.get(partition);
            SimProcess nextHolder = holder != null && remaining.contains(holder) && simulation.random.percent(60)
                    ? holder
                    : simulation.random.any(remaining);
            if (holder == null) {
                give(partition, nextHolder);
            } else if (holder != nextHolder && nextHolders.get(partition) == null) {
                nextHolders.put(partition, nextHolder);
                holder.notice(true, () -> holder.revoke(partition));
                simulation.timeline.in(5_000, () -> overdue(partition, holder));
            }
        }
    }

    private List<SimProcess> remaining() {
        return new ArrayList<>(
                members.keySet().stream().filter(process -> !process.leaving()).toList());
    }

    /** Begins a new generation, and tells all members. */
    private void begin() {
        generation++;
        int now = generation;
        for (SimProcess process : members.keySet()) {
            members.put(process, now);
            process.notice(true, () -> process.generation = Math.max(process.generation, now));
        }
        simulation.trace(() -> "generation " + now + " of " + members.keySet());
    }

    /** A member that does not give a partition back in time is put out of the group. */
    private void overdue(Partition partition, SimProcess holder) {
        if (nextHolders.containsKey(partition) && holders.get(partition) == holder) {
            kick(holder);
            rebalance(1);
        }
    }

    void handedBack(SimProcess process, Partition partition) {
        if (holders.get(partition) != process) {
            return;
        }
        holders.remove(partition);
        SimProcess nextHolder = nextHolders.remove(partition);
        List<SimProcess> remaining = remaining();
        if (remaining.isEmpty()) {
            return;
        }
        begin();
        give(partition, remaining.contains(nextHolder) ? nextHolder : simulation.random.any(remaining));
    }

    private void give(Partition partition, SimProcess process) {
        holders.put(partition, process);
        int membership = memberships.getOrDefault(process, 0);
        process.notice(false, () -> {
            // A process that left the group meanwhile never had what it was assigned before.
            if (memberships.getOrDefault(process, 0) == membership) {
                process.assign(partition, facts(partition, process));
            }
        });
    }

    /** Ends a process's session. It does not know that yet. */
    void kick(SimProcess process) {
        if (members.remove(process) == null) {
            return;
        }
        simulation.trace(() -> process + " is out of the group");
        for (Partition partition : topics.keySet()) {
            if (holders.get(partition) == process) {
                holders.remove(partition);
                nextHolders.remove(partition);
            }
        }
        rebalance(simulation.random.delay(10, 100));
        tellRemoved(process);
    }

    /** Tells a process that it is out of the group, once it can be reached. */
    private void tellRemoved(SimProcess process) {
        simulation.timeline.in(simulation.random.delay(100, 1_500), () -> {
            if (!process.alive() || members.containsKey(process)) {
                return;
            }
            if (process.frozen() || process.cutOff()) {
                tellRemoved(process);
                return;
            }
            process.notice(true, () -> {
                memberships.merge(process, 1, Integer::sum);
                for (Partition partition : List.copyOf(process.assigned())) {
                    process.lose(partition);
                }
                if (!process.leaving()) {
                    simulation.timeline.in(5, () -> {
                        if (process.alive()) {
                            join(process);
                        }
                    });
                }
            });
        });
    }

    // ---- requests of members ----

    void commit(SimProcess process, Partition partition, long upTo) {
        int with = process.generation;
        String topic = topics.get(partition).id();
        List<@Nullable SimTask> told = simulation.cuts.told(process, partition, upTo);
        ConsumedPartition assignment = process.consumed.get(partition);
        request(process, () -> {
            boolean valid = reached(process, with) && holders.get(partition) == process;
            // A commit is valid only for the topic whose id it names.
            if (valid && topics.get(partition).id().equals(topic)) {
                if (!topics.get(partition).wasCut) {
                    Oracle.committed(partition, topics.get(partition).committed, upTo);
                }
                topics.get(partition).committed = upTo;
                topics.get(partition).committedLog = told;
            }
            simulation.trace(() -> process + " commits " + partition.name() + " " + upTo + (valid ? "" : " in vain"));
            answer(process, () -> {
                // An answer to an earlier assignment says nothing about this one.
                boolean isOfThis = process.consumed.get(partition) == assignment;
                if (isOfThis && valid) {
                    process.committed(partition, upTo);
                } else if (isOfThis) {
                    process.commitFailed(partition);
                }
            });
        });
    }

    /**
     * Commits where reading starts since a cut, or the leader epochs. Both go with the consumer's own last commit: one of
     * before the cut, that arrived after the offset was looked up, counts no more.
     */
    void commitCut(SimProcess process, Partition partition, ConsumedPartition consumed) {
        int with = process.generation;
        long upTo = consumed.highestSent;
        request(process, () -> {
            boolean valid = reached(process, with) && holders.get(partition) == process;
            if (valid && process.consumed.get(partition) == consumed) {
                SimTopic topic = topics.get(partition);
                topic.committed = upTo;
                topic.committedLog = consumed.told;
            }
        });
    }

    void confirm(SimProcess process, Partition partition) {
        int with = process.generation;
        request(process, () -> {
            if (reached(process, with) && holders.get(partition) == process) {
                answer(process, () -> process.confirmed(partition, facts(partition, process)));
            } else {
                // The consumer tries again until it is told that the partition is lost or revoked.
                simulation.timeline.in(20, () -> {
                    if (process.alive() && process.consumes(partition)) {
                        confirm(process, partition);
                    }
                });
            }
        });
    }

    private boolean reached(SimProcess process, int with) {
        return !process.cutOff() && members.getOrDefault(process, -1) == with;
    }

    final void request(SimProcess process, Runnable arrives) {
        long at = Math.max(
                lastArrival.getOrDefault(process, 0L), simulation.timeline.now() + simulation.random.delay(3, 50));
        lastArrival.put(process, at);
        simulation.timeline.at(at, arrives);
    }

    final void answer(SimProcess process, Runnable what) {
        simulation.timeline.in(simulation.random.delay(3, 50), () -> process.notice(true, what));
    }

    /** Whether the group has assigned this partition to this process. */
    final boolean isHolder(SimProcess process, Partition partition) {
        return holders.get(partition) == process;
    }

    final boolean isMember(SimProcess process) {
        return members.containsKey(process);
    }

    boolean settled() {
        return !planned && nextHolders.isEmpty() && holders.keySet().containsAll(topics.keySet());
    }
}
