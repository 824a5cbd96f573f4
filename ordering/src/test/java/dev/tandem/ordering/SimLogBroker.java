package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A log and its consumer group: cooperative rebalances, generations, sessions that end unnoticed. */
class SimLogBroker {

    private static final class Topic {
        int created = 1;
        List<@Nullable SimTask> log = new ArrayList<>();
        final Map<String, List<@Nullable SimTask>> logs = new LinkedHashMap<>();
        long start;
        long committed = -1;

        Topic() {
            logs.put(id(), log);
        }

        String id() {
            return "topic-" + created;
        }
    }

    private final Simulation world;
    private final Map<Partition, Topic> topics = new LinkedHashMap<>();
    /** The group's members with the generation that the group knows them by. */
    private final Map<SimProcess, Integer> members = new LinkedHashMap<>();

    private final Map<Partition, SimProcess> holders = new LinkedHashMap<>();
    private final Map<Partition, SimProcess> heirs = new LinkedHashMap<>();
    /** How often each has learned that it was out of the group. */
    private final Map<SimProcess, Integer> memberships = new HashMap<>();

    private final Map<SimProcess, Long> lastArrival = new LinkedHashMap<>();
    private int generation;
    private boolean planned;

    SimLogBroker(Simulation world, List<Partition> partitions) {
        this.world = world;
        partitions.forEach(partition -> topics.put(partition, new Topic()));
    }

    // ---- the log ----

    void publish(SimTask rec) {
        topics.get(rec.partition).log.add(rec);
        for (SimProcess proc : world.procs()) {
            if (proc.consumes(rec.partition)) {
                proc.wake(world.random.delay(2, 20));
            }
        }
    }

    /** An aborted record, a marker, or one that compaction took. */
    void gap(Partition partition) {
        topics.get(partition).log.add(null);
    }

    long end(Partition partition) {
        return topics.get(partition).log.size();
    }

    /** @return the position behind what was fetched */
    long fetch(Partition partition, long from, int count, List<SimTask> into) {
        List<@Nullable SimTask> log = topics.get(partition).log;
        long at = Math.max(from, topics.get(partition).start);
        for (; at < log.size() && count > 0; at++, count--) {
            SimTask rec = log.get((int) at);
            if (rec != null) {
                into.add(rec);
            }
        }
        return at;
    }

    /** Where reading starts. */
    long startOf(Partition partition) {
        Topic topic = topics.get(partition);
        return Math.max(topic.committed, topic.start);
    }

    long committed(Partition partition) {
        return topics.get(partition).committed;
    }

    String sourceId(Partition partition) {
        return topics.get(partition).id();
    }

    /** Also of a topic that was deleted since. */
    List<@Nullable SimTask> log(Partition partition, String sourceId) {
        return topics.get(partition).logs.get(sourceId);
    }

    List<@Nullable SimTask> log(Partition partition) {
        return topics.get(partition).log;
    }

    Source.Facts facts(Partition partition, SimProcess proc) {
        Topic topic = topics.get(partition);
        return new Source.Facts(proc.generation, topic.id(), topic.committed, topic.start);
    }

    // ---- operators, while nobody runs ----

    void rewind(Partition partition, long to) {
        topics.get(partition).committed = Math.max(topics.get(partition).start, to);
    }

    /** The group's offsets are deleted; reading starts at the log's start again. */
    void forget(Partition partition) {
        topics.get(partition).committed = -1;
    }

    void recreate(Partition partition) {
        Topic topic = topics.get(partition);
        topic.created++;
        topic.log = new ArrayList<>();
        topic.logs.put(topic.id(), topic.log);
        topic.start = 0;
        topic.committed = -1;
    }

    /** Retention removes what everybody has read. */
    void expire(Partition partition, long upTo) {
        Topic topic = topics.get(partition);
        topic.start = Math.max(topic.start, Math.min(upTo, topic.committed));
    }

    // ---- the group ----

    void join(SimProcess proc) {
        members.put(proc, generation);
        rebalance(world.random.delay(10, 200));
    }

    /** It left, or its session ended long ago. */
    void gone(SimProcess proc) {
        members.remove(proc);
        for (Partition partition : topics.keySet()) {
            if (holders.get(partition) == proc) {
                holders.remove(partition);
                heirs.remove(partition);
            }
        }
        rebalance(world.random.delay(10, 200));
    }

    /** Something befalls the group. */
    void shake() {
        rebalance(0);
    }

    final void rebalance(long millis) {
        if (!planned) {
            planned = true;
            world.timeline.in(millis, () -> {
                planned = false;
                rebalance();
            });
        }
    }

    private void rebalance() {
        for (SimProcess proc : List.copyOf(members.keySet())) {
            if (proc.frozen() || proc.cutOff()) {
                kick(proc);
            }
        }
        List<SimProcess> able = able();
        if (able.isEmpty()) {
            return;
        }
        begin();
        for (Partition partition : topics.keySet()) {
            SimProcess holder = holders.get(partition);
            SimProcess heir = holder != null && able.contains(holder) && world.random.percent(60)
                    ? holder
                    : world.random.any(able);
            if (holder == null) {
                give(partition, heir);
            } else if (holder != heir && heirs.get(partition) == null) {
                heirs.put(partition, heir);
                holder.notice(true, () -> holder.revoke(partition));
                world.timeline.in(5_000, () -> overdue(partition, holder));
            }
        }
    }

    private List<SimProcess> able() {
        return new ArrayList<>(
                members.keySet().stream().filter(proc -> !proc.leaving()).toList());
    }

    /** A new generation, known to all members that are in touch. */
    private void begin() {
        generation++;
        int now = generation;
        for (SimProcess proc : members.keySet()) {
            members.put(proc, now);
            proc.notice(true, () -> proc.generation = Math.max(proc.generation, now));
        }
        world.trace(() -> "generation " + now + " of " + members.keySet());
    }

    /** A member that does not give back in time loses its place. */
    private void overdue(Partition partition, SimProcess holder) {
        if (heirs.containsKey(partition) && holders.get(partition) == holder) {
            kick(holder);
            rebalance(1);
        }
    }

    void handedBack(SimProcess proc, Partition partition) {
        if (holders.get(partition) != proc) {
            return;
        }
        holders.remove(partition);
        SimProcess heir = heirs.remove(partition);
        List<SimProcess> able = able();
        if (able.isEmpty()) {
            return;
        }
        begin();
        give(partition, able.contains(heir) ? heir : world.random.any(able));
    }

    private void give(Partition partition, SimProcess proc) {
        holders.put(partition, proc);
        int membership = memberships.getOrDefault(proc, 0);
        proc.notice(false, () -> {
            // What it was given as a member that it is no more, it lost without ever having had it.
            if (memberships.getOrDefault(proc, 0) == membership) {
                proc.assign(partition, facts(partition, proc));
            }
        });
    }

    /** Its session ended. It does not know that yet. */
    void kick(SimProcess proc) {
        if (members.remove(proc) == null) {
            return;
        }
        world.trace(() -> proc + " is out of the group");
        for (Partition partition : topics.keySet()) {
            if (holders.get(partition) == proc) {
                holders.remove(partition);
                heirs.remove(partition);
            }
        }
        rebalance(world.random.delay(10, 100));
        learn(proc);
    }

    /** It is told when it can be told. */
    private void learn(SimProcess proc) {
        world.timeline.in(world.random.delay(100, 1_500), () -> {
            if (!proc.alive() || members.containsKey(proc)) {
                return;
            }
            if (proc.frozen() || proc.cutOff()) {
                learn(proc);
                return;
            }
            proc.notice(true, () -> {
                memberships.merge(proc, 1, Integer::sum);
                for (Partition partition : List.copyOf(proc.assigned())) {
                    proc.lose(partition);
                }
                if (!proc.leaving()) {
                    world.timeline.in(5, () -> {
                        if (proc.alive()) {
                            join(proc);
                        }
                    });
                }
            });
        });
    }

    // ---- requests of members ----

    void commit(SimProcess proc, Partition partition, long upTo) {
        int with = proc.generation;
        String topic = topics.get(partition).id();
        request(proc, () -> {
            boolean valid = reached(proc, with) && holders.get(partition) == proc;
            // A commit names its topic's id, and counts for no other.
            if (valid && topics.get(partition).id().equals(topic)) {
                world.oracle.committed(partition, topics.get(partition).committed, upTo);
                topics.get(partition).committed = upTo;
            }
            world.trace(() -> proc + " commits " + partition.name() + " " + upTo + (valid ? "" : " in vain"));
            answer(proc, () -> {
                if (valid) {
                    proc.committed(partition, upTo);
                } else {
                    proc.commitFailed(partition);
                }
            });
        });
    }

    void confirm(SimProcess proc, Partition partition) {
        int with = proc.generation;
        request(proc, () -> {
            if (reached(proc, with) && holders.get(partition) == proc) {
                answer(proc, () -> proc.confirmed(partition, facts(partition, proc)));
            } else {
                // The consumer tries again until it is told that the partition is lost or revoked.
                world.timeline.in(20, () -> {
                    if (proc.alive() && proc.consumes(partition)) {
                        confirm(proc, partition);
                    }
                });
            }
        });
    }

    private boolean reached(SimProcess proc, int with) {
        return !proc.cutOff() && members.getOrDefault(proc, -1) == with;
    }

    final void request(SimProcess proc, Runnable arrives) {
        long at = Math.max(lastArrival.getOrDefault(proc, 0L), world.timeline.now() + world.random.delay(3, 50));
        lastArrival.put(proc, at);
        world.timeline.at(at, arrives);
    }

    final void answer(SimProcess proc, Runnable what) {
        world.timeline.in(world.random.delay(3, 50), () -> proc.notice(true, what));
    }

    /** Whether the group's plan gives it this partition. */
    final boolean isHolder(SimProcess proc, Partition partition) {
        return holders.get(partition) == proc;
    }

    final boolean isMember(SimProcess proc) {
        return members.containsKey(proc);
    }

    boolean settled() {
        return !planned && heirs.isEmpty() && holders.keySet().containsAll(topics.keySet());
    }
}
