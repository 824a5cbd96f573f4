package dev.tandem.server.api;

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
 * The groups of dead tasks of several queues, for whoever looks at all of them. They are read partition by partition, and what was
 * read within a second is good for all who look at the same partition. How many queues, partitions and groups are read is bounded.
 * Thread-safe: one thread reads, and the others wait for it.
 */
public final class SharedDeadGroups {

    /** The most queues of which groups are read: those with the most dead tasks, or the most blocked keys. */
    static final int MOST_QUEUES = 20;

    /** The most partitions of all these queues together. */
    static final int MOST_PARTITIONS = 200;

    /** How many partitions are asked at once. */
    static final int AT_ONCE = 10;

    /** After so many groups no further partitions are asked, so that a look takes Redis about 10 ms at most. */
    static final int MOST_READ = 2_500;

    /** More groups than a partition has. */
    static final int ALL = 1_000;

    private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long RECENT_NANOS = Duration.ofSeconds(5).toNanos();

    /** The groups of a partition, and when they were read. */
    private record Reading(long at, DeadGroups groups) {}

    private final Function<List<Partition>, Map<Partition, DeadGroups>> reader;
    private final LongSupplier nanos;
    private final ReentrantLock lock = new ReentrantLock();

    /** The readings of the last seconds. Guarded by the lock, as what follows. */
    private final Map<Partition, Reading> latest = new HashMap<>();

    private @Nullable UnavailableException failure;
    private long failedAt;

    /**
     * @param reader returns all groups of each of some partitions
     * @param nanos a clock, as {@link System#nanoTime()}
     */
    SharedDeadGroups(Function<List<Partition>, Map<Partition, DeadGroups>> reader, LongSupplier nanos) {
        this.reader = reader;
        this.nanos = nanos;
    }

    /** Returns how many dead tasks a queue has; none if nobody could tell. */
    public static long dead(Views.Queue queue) {
        return queue.counts() == null ? 0 : queue.counts().dead();
    }

    private static long dead(Views.Partition partition) {
        return partition.counts() == null ? 0 : partition.counts().dead();
    }

    /** Returns how many keys dead tasks may halt. */
    private static long blocked(Views.Partition partition) {
        return partition.blockedKeys() == null ? 0 : Math.min(partition.blockedKeys(), dead(partition));
    }

    /**
     * Returns what reads anew for the one who opens a page, and then shares with all others who look: the groups of those queues of
     * which some partition was read, by queue. The queues have their partitions.
     */
    public Function<Collection<Views.Queue>, Map<String, DeadGroups>> following() {
        AtomicBoolean follows = new AtomicBoolean();
        return queues -> read(queues, SharedDeadGroups::dead, follows.getAndSet(true) ? FRESH_NANOS : 0);
    }

    /**
     * Returns the same as it was within five seconds, and only of partitions with blocked keys, for those who merely want to know
     * how many of them are halted.
     */
    public Map<String, DeadGroups> halting(Collection<Views.Queue> queues) {
        return read(queues, SharedDeadGroups::blocked, RECENT_NANOS);
    }

    /**
     * Returns which partitions are read: of each of the queues the one with the most first, then the next one of each.
     *
     * @param weight how much a partition has of what is looked for
     */
    static List<Partition> chosen(Collection<Views.Queue> queues, ToLongFunction<Views.Partition> weight) {
        List<List<Partition>> ofQueues = queues.stream()
                .filter(queue -> weight(queue, weight) > 0)
                .sorted(Comparator.comparingLong((Views.Queue queue) -> weight(queue, weight))
                        .reversed())
                .limit(MOST_QUEUES)
                .map(queue -> partitions(queue).stream()
                        .filter(partition -> weight.applyAsLong(partition) > 0)
                        .sorted(Comparator.comparingLong(weight).reversed())
                        .limit(MOST_PARTITIONS)
                        .map(partition -> new Partition(queue.name(), partition.partition()))
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

    private static List<Views.Partition> partitions(Views.Queue queue) {
        return queue.partitions() == null ? List.of() : queue.partitions();
    }

    private static long weight(Views.Queue queue, ToLongFunction<Views.Partition> weight) {
        return partitions(queue).stream().mapToLong(weight).sum();
    }

    /** @param freshNanos for how long a reading is good enough */
    private Map<String, DeadGroups> read(
            Collection<Views.Queue> queues, ToLongFunction<Views.Partition> weight, long freshNanos) {
        List<Partition> chosen = chosen(queues, weight);
        if (chosen.isEmpty()) {
            return Map.of();
        }
        Map<Partition, DeadGroups> read = shared(chosen, freshNanos);
        Map<String, DeadGroups> all = new LinkedHashMap<>();
        for (Views.Queue queue : queues) {
            List<DeadGroups> its = new ArrayList<>();
            long unread = 0;
            for (Views.Partition partition : partitions(queue)) {
                DeadGroups groups = read.get(new Partition(queue.name(), partition.partition()));
                if (groups != null) {
                    its.add(groups);
                } else if (weight.applyAsLong(partition) > 0) {
                    unread++;
                }
            }
            if (!its.isEmpty()) {
                DeadGroups sum = DeadGroups.sum(its, Integer.MAX_VALUE);
                all.put(
                        queue.name(),
                        new DeadGroups(sum.dead(), sum.grouped(), sum.partial() || unread > 0, sum.groups()));
            }
        }
        return all;
    }

    /** Returns the groups of these partitions, without those that are left when enough groups were read. */
    private Map<Partition, DeadGroups> shared(List<Partition> chosen, long freshNanos) {
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
                if (reading != null && reading.at() - (asked - freshNanos) > 0) {
                    good.put(partition, reading.groups());
                }
            }
            refresh(chosen.stream().filter(each -> !good.containsKey(each)).toList(), good);
            return good;
        } finally {
            lock.unlock();
        }
    }

    private void refresh(List<Partition> stale, Map<Partition, DeadGroups> good) {
        try {
            readInTurns(stale, good);
        } catch (UnavailableException e) {
            failure = e;
            failedAt = nanos.getAsLong();
            throw e;
        }
    }

    private void readInTurns(List<Partition> stale, Map<Partition, DeadGroups> good) {
        int groups = 0;
        for (int from = 0; from < stale.size() && groups < MOST_READ; from += AT_ONCE) {
            long at = nanos.getAsLong();
            Map<Partition, DeadGroups> read = reader.apply(stale.subList(from, Math.min(stale.size(), from + AT_ONCE)));
            read.forEach((partition, its) -> latest.put(partition, new Reading(at, its)));
            good.putAll(read);
            groups +=
                    read.values().stream().mapToInt(its -> its.groups().size()).sum();
        }
    }

    /** Returns how many wait for the one who reads, for tests. */
    int waiting() {
        return lock.getQueueLength();
    }
}
