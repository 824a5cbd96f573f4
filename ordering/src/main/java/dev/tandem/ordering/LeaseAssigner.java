package dev.tandem.ordering;

import dev.tandem.task.Partition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Plans which partitions of a queue this process should own by lease, where no broker assigns them (RabbitMQ). Each process
 * decides alone from facts that all can know, so no leader is needed: from the same live executors all come to the same
 * plan, in which every partition has one executor, and every executor ⌊N / live⌋ or ⌈N / live⌉ partitions. While their
 * views differ, the lease in the store decides.
 *
 * <p>A partition prefers executors by rendezvous hashing (Thaler and Ravishankar, "Using name-based mappings to
 * increase hit rates", 1998), with the shares as bounds, so a join or a leave moves little more than it must.
 *
 * <p>A partition that another executor should own is given up only once the live executors have stayed the same for a while.
 * Executors that join together therefore move partitions once, and an executor that is late with its heartbeat moves
 * none. Unowned partitions are claimed immediately, even above our fair share.
 *
 * <p>An executor that cannot own partitions, because it cannot reach its broker or its store, must not be among the live
 * ones: its share would stay unowned.
 *
 * <p>Does no I/O, reads no clock and starts no thread. One thread calls it.
 */
public final class LeaseAssigner {

    private final String self;
    private final long joinMillis;
    private final long steadyMillis;

    private Set<Partition> partitions = Set.of();
    private Set<String> live = Set.of();
    private Set<Partition> share = Set.of();
    /** Until then nothing is given up to others. */
    private long steadyAt;

    /**
     * @param self this executor's id
     * @param joinMillis how long to wait after others joined before giving up partitions to them, since more may join
     * @param steadyMillis how long to wait after any other change: about the time until everybody has seen it, or until a late
     *     executor is back
     */
    public LeaseAssigner(String self, long joinMillis, long steadyMillis) {
        if (joinMillis < 0 || joinMillis > steadyMillis) {
            throw new IllegalArgumentException(
                    "joinMillis is " + joinMillis + ", it must be 0 to steadyMillis, which is " + steadyMillis);
        }
        this.self = self;
        this.joinMillis = joinMillis;
        this.steadyMillis = steadyMillis;
    }

    /**
     * The changes to make now. Each plan replaces the one before.
     *
     * @param acquire partitions that are not owned and must be tried, again and again, while they are listed
     * @param giveUp owned partitions that must be released
     */
    public record Plan(Set<Partition> acquire, Set<Partition> giveUp) {}

    /**
     * Plans anew. To be called after every change of an argument, and about every second, since a waiting time may be over.
     *
     * @param nowMillis elapsed time, never less than before
     * @param all every partition of the queue; none if the broker cannot be reached, so that all are given up
     * @param owned partitions that this process has the lease of
     * @param liveExecutors the ids of all executors that can own partitions of this queue now; this one counts in any
     *     case
     */
    public Plan plan(
            long nowMillis, Collection<Partition> all, Collection<Partition> owned, Collection<String> liveExecutors) {
        notice(nowMillis, all, liveExecutors);
        boolean steady = nowMillis >= steadyAt;
        Set<Partition> giveUp = new HashSet<>();
        for (Partition partition : owned) {
            if (!partitions.contains(partition) || (steady && !share.contains(partition))) {
                giveUp.add(partition);
            }
        }
        Set<Partition> acquire = new HashSet<>(share);
        acquire.removeAll(owned);
        return new Plan(acquire, giveUp);
    }

    private void notice(long nowMillis, Collection<Partition> all, Collection<String> liveExecutors) {
        Set<String> nowLive = new TreeSet<>(liveExecutors);
        nowLive.add(self);
        Set<Partition> nowAll = Set.copyOf(all);
        if (!nowLive.equals(live) || !nowAll.equals(partitions)) {
            boolean samePartitions = partitions.isEmpty() || nowAll.equals(partitions);
            boolean onlyJoined = samePartitions && nowLive.containsAll(live);
            steadyAt = onlyJoined ? Math.max(steadyAt, nowMillis + joinMillis) : nowMillis + steadyMillis;
            live = nowLive;
            partitions = nowAll;
            share = shareOf(self, partitions, live);
        }
    }

    private record Preference(long score, Partition partition, String executor) {}

    /** Returns what one executor should own: the strongest preferences first, while its share has room. */
    private static Set<Partition> shareOf(String self, Set<Partition> partitions, Set<String> live) {
        List<Preference> preferences = new ArrayList<>(partitions.size() * live.size());
        for (Partition partition : partitions) {
            for (String executor : live) {
                preferences.add(new Preference(score(partition, executor), partition, executor));
            }
        }
        // Scores hardly ever tie. If they do, all executors must still come to the same order.
        preferences.sort(Comparator.comparingLong(Preference::score)
                .thenComparing(p -> p.partition().toString())
                .thenComparing(Preference::executor));
        int least = partitions.size() / live.size();
        int withOneMore = partitions.size() % live.size();
        Map<String, Integer> loads = new HashMap<>();
        Set<Partition> placed = new HashSet<>();
        Set<Partition> mine = new HashSet<>();
        for (Preference preference : preferences) {
            int load = loads.getOrDefault(preference.executor(), 0);
            boolean room = load < least || (load == least && withOneMore > 0);
            if (room && placed.add(preference.partition())) {
                withOneMore -= load == least ? 1 : 0;
                loads.put(preference.executor(), load + 1);
                if (preference.executor().equals(self)) {
                    mine.add(preference.partition());
                }
            }
        }
        return mine;
    }

    /** FNV-1a over both names, then the finalizer of SplitMix64, since FNV's high bits are weak on short names. */
    private static long score(Partition partition, String executor) {
        String text = executor + '\n' + partition;
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
        return hash ^ (hash >>> 31);
    }
}
