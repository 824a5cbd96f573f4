package dev.tandem.server.api;

import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.Partition;
import dev.tandem.task.store.DeadGroups;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The groups of dead tasks of queues, for whoever looks at one or at all of them. They are read partition by partition, and what was
 * read within a second is good for all who look at the same partition. How many queues, partitions and groups are read is bounded.
 * Thread-safe: one thread reads, and the others wait for it.
 */
public final class SharedDeadGroups {

    /** The most queues of which groups are read: those with the most dead tasks, or the most blocked keys. */
    static final int MOST_QUEUES = 20;

    /** The most partitions of all these queues together. */
    static final int MOST_PARTITIONS = 200;

    /** How many partitions are asked at once. */
    static final int AT_ONCE = 4;

    /** After Redis has looked at so many groups no further partitions are asked, so that a look takes it less than 10 ms. */
    static final int MOST_LOOKED_AT = 4_000;

    /** The groups that Redis returns of all partitions together, but of each at least {@link #FEWEST}. */
    static final int MOST_RETURNED = 1_000;

    static final int FEWEST = 20;

    /** The most groups that a partition has. */
    static final int MOST_OF_PARTITION = 501;

    private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long RECENT_NANOS = Duration.ofSeconds(5).toNanos();

    /** Asks some partitions at once for their groups. */
    @FunctionalInterface
    interface Reader {

        /** @param most how many groups of each, those with the most tasks */
        Map<Partition, DeadGroups> read(List<Partition> partitions, int most);
    }

    /** How many keys of a queue are halted, never more than are blocked. @param partial whether there may be more */
    public record Halted(long keys, boolean partial) {}

    /**
     * A partition of which groups may be read.
     *
     * @param weight how much it has of what is looked for; only those that have some are read
     * @param dead how many of its tasks are dead
     */
    private record Share(Partition partition, long weight, long dead) {}

    /** A queue of which groups may be read. */
    private record Source(String queue, List<Share> shares) {

        static Source of(Views.Queue queue, ToLongFunction<Views.Partition> weight) {
            List<Views.Partition> partitions = queue.partitions() == null ? List.of() : queue.partitions();
            return new Source(
                    queue.name(),
                    partitions.stream()
                            .map(each -> new Share(
                                    new Partition(queue.name(), each.partition()),
                                    weight.applyAsLong(each),
                                    dead(each)))
                            .toList());
        }

        static Source of(String queue, List<PartitionInfo> partitions) {
            return new Source(
                    queue,
                    partitions.stream()
                            .map(each -> new Share(
                                    new Partition(queue, each.partition()),
                                    each.counts().dead(),
                                    each.counts().dead()))
                            .toList());
        }

        long weight() {
            return shares.stream().mapToLong(Share::weight).sum();
        }

        private static long dead(Views.Partition partition) {
            return partition.counts() == null ? 0 : partition.counts().dead();
        }

        /** Returns how many keys dead tasks may halt. */
        static long blocked(Views.Partition partition) {
            return partition.blockedKeys() == null ? 0 : Math.min(partition.blockedKeys(), dead(partition));
        }
    }

    /** The groups of a queue, added up. @param unread the partitions with dead tasks or halted keys that were not read */
    private record Sum(DeadGroups groups, List<Share> unread) {

        /**
         * Returns how many keys are halted. Those of tasks that are in no group are not known.
         *
         * @param blocked how many may be, which was counted at another time
         */
        Halted halted(long blocked) {
            long keys = Math.min(groups.halting(), blocked);
            return new Halted(keys, keys < blocked && (groups.ungrouped() > 0 || !unread.isEmpty()));
        }

        /** Returns all groups, as far as they were read. */
        DeadGroups whole() {
            return new DeadGroups(
                    groups.dead() + unread.stream().mapToLong(Share::dead).sum(),
                    groups.ungrouped(),
                    groups.halting(),
                    groups.partial() || !unread.isEmpty(),
                    groups.groups());
        }
    }

    /** The groups of a partition, when they were read, and how many were asked for. */
    private record Reading(long at, int most, DeadGroups groups) {

        boolean hasAsManyAs(int wanted) {
            return most >= wanted || !groups.partial();
        }
    }

    private final Reader reader;
    private final LongSupplier nanos;
    private final ReentrantLock lock = new ReentrantLock();

    /** The readings of the last seconds. Guarded by the lock, as what follows. */
    private final Map<Partition, Reading> latest = new HashMap<>();

    private @Nullable UnavailableException failure;
    private long failedAt;

    /** @param nanos a clock, as {@link System#nanoTime()} */
    SharedDeadGroups(Reader reader, LongSupplier nanos) {
        this.reader = reader;
        this.nanos = nanos;
    }

    /** Returns how many dead tasks a queue has; none if nobody could tell. */
    public static long dead(Views.Queue queue) {
        return queue.counts() == null ? 0 : queue.counts().dead();
    }

    /**
     * Returns what reads anew for the one who opens a page, and then shares with all others who look: the groups of those queues of
     * which some partition was read, by queue. The queues have their partitions.
     */
    public Function<Collection<Views.Queue>, Map<String, DeadGroups>> following() {
        AtomicBoolean follows = new AtomicBoolean();
        return queues -> {
            Map<String, DeadGroups> groups = new LinkedHashMap<>();
            List<Source> sources =
                    queues.stream().map(each -> Source.of(each, Source::dead)).toList();
            read(sources, follows.getAndSet(true) ? FRESH_NANOS : 0, true)
                    .forEach((queue, sum) -> groups.put(queue, sum.whole()));
            return groups;
        };
    }

    /** Reads the groups of a queue anew. */
    DeadGroups of(String queue, List<PartitionInfo> partitions) {
        Sum sum = read(List.of(Source.of(queue, partitions)), 0, true).get(queue);
        return sum == null ? DeadGroups.NONE : sum.whole();
    }

    /**
     * Returns how many keys are halted, of queues that have such keys, or may have some. It was so within five seconds, and only
     * partitions with blocked keys are read.
     */
    public Map<String, Halted> halting(Collection<Views.Queue> queues) {
        List<Source> sources =
                queues.stream().map(each -> Source.of(each, Source::blocked)).toList();
        Map<String, Sum> read = read(sources, RECENT_NANOS, false);
        Map<String, Halted> halted = new LinkedHashMap<>();
        for (Source source : sources) {
            Sum sum = read.get(source.queue());
            if (sum != null) {
                halted.put(source.queue(), sum.halted(source.weight()));
            } else if (source.weight() > 0) {
                halted.put(source.queue(), new Halted(0, true));
            }
        }
        return halted;
    }

    /** Returns which partitions are read: of each of the queues the one with the most first, then the next one of each. */
    private static List<Partition> chosen(List<Source> sources) {
        List<List<Partition>> ofQueues = sources.stream()
                .filter(source -> source.weight() > 0)
                .sorted(Comparator.comparingLong(Source::weight).reversed())
                .limit(MOST_QUEUES)
                .map(source -> source.shares().stream()
                        .filter(share -> share.weight() > 0)
                        .sorted(Comparator.comparingLong(Share::weight).reversed())
                        .limit(MOST_PARTITIONS)
                        .map(Share::partition)
                        .toList())
                .toList();
        List<Partition> chosen = new ArrayList<>();
        for (int turn = 0; turn < MOST_PARTITIONS; turn++) {
            for (List<Partition> partitions : ofQueues) {
                if (turn < partitions.size() && chosen.size() < MOST_PARTITIONS) {
                    chosen.add(partitions.get(turn));
                }
            }
        }
        return chosen;
    }

    /**
     * Reads the groups of those queues of which some partition is read.
     *
     * @param freshNanos for how long a reading is good enough
     * @param groups whether the groups themselves are asked for, and not only their sums
     */
    private Map<String, Sum> read(List<Source> sources, long freshNanos, boolean groups) {
        List<Partition> chosen = chosen(sources);
        if (chosen.isEmpty()) {
            return Map.of();
        }
        int most = Math.max(FEWEST, MOST_RETURNED / chosen.size());
        Map<Partition, DeadGroups> read = shared(chosen, freshNanos, most, groups ? most : 0);
        Map<String, Sum> all = new LinkedHashMap<>();
        for (Source source : sources) {
            List<DeadGroups> its = new ArrayList<>();
            List<Share> unread = new ArrayList<>();
            for (Share share : source.shares()) {
                DeadGroups known = read.get(share.partition());
                if (known != null) {
                    its.add(known);
                } else if (share.weight() > 0) {
                    unread.add(share);
                }
            }
            if (!its.isEmpty()) {
                all.put(source.queue(), new Sum(DeadGroups.sum(its, Integer.MAX_VALUE), unread));
            }
        }
        return all;
    }

    /**
     * Returns the groups of these partitions, without those that are left when enough groups were looked at.
     *
     * @param most how many groups to ask for of each
     * @param wanted how many are good enough
     */
    private Map<Partition, DeadGroups> shared(List<Partition> chosen, long freshNanos, int most, int wanted) {
        // Whoever waits is content with what is read from now on.
        long asked = nanos.getAsLong();
        lock.lock();
        try {
            if (failure != null && failedAt - asked > 0) {
                throw failure;
            }
            failure = null;
            latest.values().removeIf(reading -> asked - reading.at() > RECENT_NANOS);
            Map<Partition, DeadGroups> good = new HashMap<>();
            for (Partition partition : chosen) {
                Reading reading = latest.get(partition);
                if (reading != null && reading.hasAsManyAs(wanted) && reading.at() - (asked - freshNanos) > 0) {
                    good.put(partition, reading.groups());
                }
            }
            refresh(chosen.stream().filter(each -> !good.containsKey(each)).toList(), most, good);
            return good;
        } finally {
            lock.unlock();
        }
    }

    private void refresh(List<Partition> stale, int most, Map<Partition, DeadGroups> good) {
        try {
            readInTurns(stale, most, good);
        } catch (UnavailableException e) {
            failure = e;
            failedAt = nanos.getAsLong();
            throw e;
        }
    }

    private void readInTurns(List<Partition> stale, int most, Map<Partition, DeadGroups> good) {
        long lookedAt = 0;
        for (int from = 0; from < stale.size() && lookedAt < MOST_LOOKED_AT; from += AT_ONCE) {
            long at = nanos.getAsLong();
            Map<Partition, DeadGroups> read =
                    reader.read(stale.subList(from, Math.min(stale.size(), from + AT_ONCE)), most);
            read.forEach((partition, its) -> latest.put(partition, new Reading(at, most, its)));
            good.putAll(read);
            lookedAt += read.values().stream()
                    .mapToInt(its ->
                            its.partial() ? MOST_OF_PARTITION : its.groups().size())
                    .sum();
        }
    }

    /** Returns how many wait for the one who reads, for tests. */
    int waiting() {
        return lock.getQueueLength();
    }
}
