package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Logs that lose their last records, and consumers that notice it: by the leader epochs of records that they read, or
 * because the log does not have the record before their position any more ({@code docs/adr/0016-a-cut-kafka-log.md}).
 */
final class SimCuts {

    /** No fetch has more records. */
    private static final int MAX_FETCHED = 5;

    private record Reader(SimProcess process, Partition partition) {}

    /** The log of a topic, as an earlier assignment knew it. */
    private record Former(String topic, List<@Nullable SimTask> log) {}

    private final Simulation simulation;
    private final SeededRandom random;
    private final Map<Reader, Former> formerLogs = new HashMap<>();

    /** @param random of its own, so that histories without cuts do not depend on it */
    SimCuts(Simulation simulation, SeededRandom random) {
        this.simulation = simulation;
        this.random = random;
    }

    // ---- the fault ----

    /** Lets a log lose its last records now and then, and other things go wrong just then. */
    void strike(SimFaults faults) {
        if (random.percent(3)) {
            Partition partition = random.any(simulation.partitions());
            SimTopic topic = simulation.broker.topic(partition);
            int size = topic.log.size();
            if (size > 0) {
                cut(partition, topic, random.between(Math.max(0, size - 8), size - 1));
            }
        }
        if (random.percent(4)) {
            faults.forgetAfterCut(random.percent(30));
        }
    }

    private void cut(Partition partition, SimTopic topic, long at) {
        simulation.trace(() -> "the log of " + partition.name() + " is cut at " + at);
        topic.cut(at);
        simulation.oracle.cut(partition);
        for (SimProcess process : simulation.processes()) {
            if (process.consumes(partition)) {
                process.wake(random.delay(2, 300));
            }
        }
    }

    // ---- what a consumer knows ----

    /** Returns what is known of a partition that is assigned: also which records of an earlier assignment are gone. */
    Source.Facts assigned(SimProcess process, Partition partition, ConsumedPartition known, Source.Facts facts) {
        SimTopic topic = simulation.broker.topic(partition);
        if (topic == null) {
            return facts;
        }
        known.log = topic.committedLog == null ? topic.log : topic.committedLog;
        known.told = known.log;
        known.highestSent = facts.committed();
        known.assignedAt = Math.max(facts.committed(), facts.logStart());
        Former former = formerLogs.get(new Reader(process, partition));
        if (former == null || !former.topic.equals(topic.id())) {
            return facts;
        }
        long at = divergence(former.log, known.log);
        boolean differ = at < former.log.size() && at < known.log.size();
        return differ ? facts.withLostFrom(at) : facts;
    }

    /** Keeps what a consumer knows of a log until the partition is assigned to it again. */
    void left(SimProcess process, Partition partition, @Nullable ConsumedPartition known) {
        if (known != null && known.log != null) {
            Reader reader = new Reader(process, partition);
            String topic = simulation.broker.sourceId(partition);
            Former former = formerLogs.get(reader);
            boolean knewMore = former != null
                    && former.topic.equals(topic)
                    && divergence(former.log, known.log) == known.log.size();
            if (!knewMore) {
                formerLogs.put(reader, new Former(topic, known.log));
            }
        }
    }

    /** Returns the log that a commit tells of. */
    @Nullable
    List<@Nullable SimTask> told(SimProcess process, Partition partition, long upTo) {
        ConsumedPartition known = process.consumed.get(partition);
        if (known == null) {
            return null;
        }
        known.highestSent = Math.max(known.highestSent, upTo);
        return known.told;
    }

    /** Whether the log still has the records that the consumer knows of, up to this offset. */
    boolean knowsUpTo(SimProcess process, Partition partition, long offset) {
        ConsumedPartition known = process.consumed.get(partition);
        if (known == null || known.log == null) {
            return false;
        }
        List<@Nullable SimTask> now = simulation.broker.log(partition);
        return known.log == now || divergence(known.log, now) >= offset;
    }

    /** Whether there is something to read, or to notice. */
    boolean toFetch(Partition partition, ConsumedPartition known) {
        List<@Nullable SimTask> now = simulation.broker.log(partition);
        if (!known.opened || known.paused) {
            return false;
        }
        if (known.log == now || known.log == null) {
            return known.fetch < simulation.broker.end(partition);
        }
        return !known.awaitsRewind && (known.fetch < now.size() || known.fetch > divergence(known.log, now));
    }

    /** Lets a consumer compare the log with what it knows of it. Returns whether it may deliver records. */
    boolean mayRead(SimProcess process, Partition partition, ConsumedPartition known) {
        List<@Nullable SimTask> now = simulation.broker.log(partition);
        if (known.awaitsRewind || known.log == null) {
            return !known.awaitsRewind;
        }
        SimTopic topic = simulation.broker.topic(partition);
        if (topic.committedLog == null) {
            // The epochs of the first records are committed at once.
            topic.committedLog = known.told;
        }
        if (known.log == now) {
            return true;
        }
        long at = divergence(known.log, now);
        if (known.fetch + MAX_FETCHED <= at) {
            return true;
        }
        if (at < known.highestSent) {
            startAnew(process, partition, now, at);
        } else {
            notice(process, partition, known, now, at);
        }
        return false;
    }

    /** Returns the first offset at which the logs have not the same record. */
    static long divergence(List<@Nullable SimTask> one, List<@Nullable SimTask> other) {
        int at = 0;
        while (at < one.size() && at < other.size() && one.get(at) == other.get(at)) {
            at++;
        }
        return at;
    }

    private void notice(
            SimProcess process, Partition partition, ConsumedPartition known, List<@Nullable SimTask> now, long at) {
        boolean isVoid = process.core.cut(partition, at);
        simulation.trace(() -> process + " notices that the log of " + partition.name() + " was cut at " + at
                + (isVoid ? "" : ", which matters not"));
        known.log = now;
        known.awaitsRewind = isVoid;
        if (!isVoid) {
            simulation.oracle.goesOn(process, partition, now);
        }
    }

    /**
     * The log was cut below an offset that was committed, if the commit arrived: the partition is assigned again. If it did
     * arrive, reading starts at the cut.
     */
    private void startAnew(SimProcess process, Partition partition, List<@Nullable SimTask> now, long at) {
        simulation.trace(() -> process + " notices that the log of " + partition.name() + " was cut at " + at
                + ", below the committed offset");
        process.lose(partition);
        Source.Facts facts = simulation.broker.facts(partition, process);
        boolean belowCommitted = at <= facts.committed();
        process.assign(
                partition,
                belowCommitted ? new Source.Facts(facts.generation(), facts.sourceId(), at, facts.logStart()) : facts);
        ConsumedPartition anew = process.consumed.get(partition);
        if (anew != null && !belowCommitted) {
            anew.log = now;
            process.core.cut(partition, at);
        } else if (anew != null) {
            anew.log = now;
            anew.told = new ArrayList<>(now.subList(0, (int) at));
            anew.start = at;
            anew.highestSent = at;
            process.core.cut(partition, at);
        }
    }

    /** Returns what a consumer believes to be committed. */
    long committed(SimProcess process, Partition partition, long group) {
        ConsumedPartition known = process.consumed.get(partition);
        if (known == null || known.start < 0 && !mayGetLateCommits(partition)) {
            return group;
        }
        return known.start >= 0 || known.committed > 0 ? readFrom(known) : Math.min(group, known.assignedAt);
    }

    /** Returns where a consumer goes on, by what it knows. */
    static long readFrom(ConsumedPartition known) {
        return Math.max(known.start < 0 ? known.assignedAt : known.start, known.committed);
    }

    /** Whether a commit of before a cut may arrive, of which the present assignment knows nothing. */
    boolean mayGetLateCommits(Partition partition) {
        SimTopic topic = simulation.broker.topic(partition);
        return topic != null && topic.wasCut;
    }

    // ---- what the core orders ----

    /** Returns where reading starts. */
    long opened(SimProcess process, Partition partition, ConsumedPartition known) {
        if (known.start < 0) {
            return mayGetLateCommits(partition) ? readFrom(known) : simulation.broker.startOf(partition);
        }
        simulation.broker.commitCut(process, partition, known);
        return known.start;
    }

    long rewound(Partition partition, ConsumedPartition known) {
        known.awaitsRewind = false;
        return known.start < 0 && !mayGetLateCommits(partition)
                ? simulation.broker.startOf(partition)
                : readFrom(known);
    }

    void recorded(SimProcess process, Partition partition) {
        ConsumedPartition known = Objects.requireNonNull(process.consumed.get(partition));
        known.told = known.log;
        simulation.broker.commitCut(process, partition, known);
    }
}
