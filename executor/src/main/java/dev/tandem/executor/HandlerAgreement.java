package dev.tandem.executor;

import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.HandlerPeer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Compares the handlers of this executor with those of the others of its queue, and decides whether this executor is refused.
 * Each executor decides alone from what all announce, and all come to the same decision, so no leader is needed.
 *
 * <p>A candidate is a set of handlers with which an executor works: it holds partitions and has no problem. A candidate is
 * established once one executor has worked with it for the whole grace. It stays so while executors work with it, and one of
 * them has worked for the grace within the last {@value #MAX_GRACES} times the grace: they may be restarted one after another. Of
 * the established ones, those are left out that another one covers and exceeds. Of several that are left, those that cover the
 * oldest executor's handlers stay, then the next oldest's, and so on. These are the accepted handlers. An executor that lacks
 * none of them is never refused. All others are refused once they have lacked some for the grace, one shortly after the other.
 * So nobody gives up partitions for an executor that does no work, or that dies again and again.
 *
 * <p>Does no I/O and reads no clock. One thread calls it.
 */
final class HandlerAgreement {

    private static final long NEVER = Long.MAX_VALUE;

    private static final long MAX_SPREAD_MILLIS = 30_000;

    private static final int MAX_GRACES = 2;

    private static final Comparator<HandlerPeer> BY_AGE =
            Comparator.comparingLong(HandlerPeer::startedAt).thenComparing(HandlerPeer::executor);

    private final String self;
    private final HandledTypes own;
    private final UnhandledPolicy rule;
    private final long graceMillis;
    /** How much later than others this executor is refused, so that they do not all leave at once. */
    private final long spreadMillis;

    /** The executors as of the last comparison. */
    private List<HandlerPeer> seen = List.of();

    /** Since when each executor has worked without a break. */
    private Map<String, Long> worksSince = new HashMap<>();

    private List<Candidate> candidates = List.of();
    private SortedMap<String, String> lacked = new TreeMap<>();
    /** What this executor lacks of the accepted handlers. */
    private SortedSet<String> missing = new TreeSet<>();
    /** What it would lack if all candidates were established. */
    private SortedSet<String> hopeful = new TreeSet<>();

    /** Since when this executor has lacked handlers with which another one works. */
    private long behindSince = NEVER;

    private long missingSince = NEVER;
    private boolean refused;

    HandlerAgreement(String self, HandledTypes own, UnhandledPolicy rule) {
        this.self = self;
        this.own = own;
        this.rule = rule;
        this.graceMillis = rule.grace().toMillis();
        this.spreadMillis =
                Math.floorMod(self.hashCode(), Math.max(1, (int) Math.min(MAX_SPREAD_MILLIS, graceMillis / 4)));
    }

    /** Handlers with which at least one executor works. */
    private static final class Candidate {
        private final HandledTypes handled;
        /** The executor among them that started first. */
        private HandlerPeer oldest;
        /** Since when the one of them that has worked longest has. */
        private long worksSince;

        /** When one of them had last worked for the grace. */
        private long provenAt;

        private boolean established;

        Candidate(HandlerPeer first, long worksSince) {
            this.handled = first.handled();
            this.oldest = first;
            this.worksSince = worksSince;
        }

        void goOnFrom(Candidate earlier) {
            provenAt = earlier.provenAt;
            established = earlier.established;
        }

        /** Looks whether it is established. @return whether that has changed */
        boolean establish(long nowMillis, long graceMillis) {
            boolean before = established;
            if (nowMillis - worksSince >= graceMillis) {
                provenAt = nowMillis;
                established = true;
            } else {
                established = before && nowMillis - provenAt <= MAX_GRACES * graceMillis;
            }
            return established != before;
        }

        void add(HandlerPeer peer, long since) {
            oldest = BY_AGE.compare(peer, oldest) < 0 ? peer : oldest;
            worksSince = Math.min(worksSince, since);
        }

        boolean exceeds(Candidate other) {
            return handled.covers(other.handled) && !other.handled.covers(handled);
        }
    }

    /**
     * How this executor compares with the others.
     *
     * @param lacked the types that others have and this one lacks, each with an executor that has it
     * @param missing what this executor lacks of the accepted handlers, or soon will; empty if it may stay
     * @param refusedInMillis the time until this executor is refused; 0 if it is, {@link Long#MAX_VALUE} if it will not be
     */
    record Verdict(SortedMap<String, String> lacked, SortedSet<String> missing, long refusedInMillis) {

        boolean refused() {
            return refusedInMillis == 0;
        }

        /** Returns whether this executor is refused, or will be if nothing changes. */
        boolean willBeRefused() {
            return refusedInMillis != NEVER;
        }

        /** Returns whether a task of this type, for which there is no handler here, goes to another executor soon. */
        boolean isLeftToOthers(String type) {
            return willBeRefused() && (missing.contains(type) || missing.contains(HandledTypes.ANY));
        }
    }

    /**
     * Decides anew. To be called about every second.
     *
     * @param nowMillis elapsed time, never less than before
     * @param works whether this executor holds partitions and has no problem. The store hears of it a little later
     * @param peers the live executors that announce their handlers; this one may be missing
     */
    Verdict check(long nowMillis, boolean works, Collection<HandlerPeer> peers) {
        List<HandlerPeer> all = withSelf(works && !refused, peers);
        boolean changed = !all.equals(seen);
        if (changed) {
            seen = all;
            compare(nowMillis);
        }
        for (Candidate each : candidates) {
            changed |= each.establish(nowMillis, graceMillis);
        }
        if (changed) {
            hopeful = own.lackedOf(accepted(each -> true));
            missing = own.lackedOf(accepted(each -> each.established));
        }
        behindSince = hopeful.isEmpty() && missing.isEmpty() ? NEVER : Math.min(behindSince, nowMillis);
        missingSince = missing.isEmpty() ? NEVER : Math.min(missingSince, nowMillis);
        long refusedIn = refusedIn(nowMillis);
        refused = refusedIn == 0;
        return new Verdict(lacked, missing.isEmpty() ? hopeful : missing, refusedIn);
    }

    private List<HandlerPeer> withSelf(boolean works, Collection<HandlerPeer> peers) {
        List<HandlerPeer> all = new ArrayList<>(peers.size() + 1);
        long startedAt = Long.MAX_VALUE;
        for (HandlerPeer peer : peers) {
            if (peer.executor().equals(self)) {
                startedAt = peer.startedAt();
            } else {
                all.add(peer);
            }
        }
        all.add(new HandlerPeer(self, startedAt, works, own));
        return all;
    }

    /** Finds the candidates, and what others have. Looks at each set of handlers once, however many executors have it. */
    private void compare(long nowMillis) {
        Map<String, Long> since = new HashMap<>();
        Map<HandledTypes, Candidate> before = new HashMap<>();
        candidates.forEach(each -> before.put(each.handled, each));
        Map<HandledTypes, Candidate> working = new LinkedHashMap<>();
        Map<HandledTypes, String> names = new LinkedHashMap<>();
        for (HandlerPeer peer : seen) {
            names.putIfAbsent(peer.handled(), peer.executor());
            if (peer.working()) {
                long its = worksSince.getOrDefault(peer.executor(), nowMillis);
                since.put(peer.executor(), its);
                Candidate candidate = working.get(peer.handled());
                if (candidate == null) {
                    candidate = new Candidate(peer, its);
                    Candidate earlier = before.get(peer.handled());
                    if (earlier != null) {
                        candidate.goOnFrom(earlier);
                    }
                    working.put(peer.handled(), candidate);
                } else {
                    candidate.add(peer, its);
                }
            }
        }
        worksSince = since;
        candidates = List.copyOf(working.values());
        SortedMap<String, String> have = new TreeMap<>();
        names.forEach((handled, executor) -> own.lackedOf(handled).forEach(type -> have.putIfAbsent(type, executor)));
        lacked = have;
    }

    private long refusedIn(long nowMillis) {
        if (!rule.refuses() || behindSince == NEVER) {
            return NEVER;
        }
        if (!missing.isEmpty()) {
            return Math.max(0, Math.max(behindSince + graceMillis, missingSince) + spreadMillis - nowMillis);
        }
        // Refused only when the handlers that it lacks are established.
        long latest = candidates.stream()
                .filter(each -> !each.established)
                .mapToLong(each -> each.worksSince)
                .max()
                .orElse(nowMillis);
        return Math.max(1, Math.max(behindSince, latest) + graceMillis + spreadMillis - nowMillis);
    }

    /** Returns the handlers that all should have, by the rule above; this executor's own if there is no such candidate. */
    private HandledTypes accepted(Predicate<Candidate> counts) {
        List<Candidate> voters = candidates.stream().filter(counts).toList();
        List<Candidate> left = voters.stream()
                .filter(each -> voters.stream().noneMatch(other -> other.exceeds(each)))
                .toList();
        List<Candidate> byAge = voters.stream()
                .sorted(Comparator.comparing(each -> each.oldest, BY_AGE))
                .toList();
        for (Candidate elder : byAge) {
            List<Candidate> covering = left.stream()
                    .filter(each -> each.handled.covers(elder.handled))
                    .toList();
            left = covering.isEmpty() ? left : covering;
        }
        // All that are left cover one another.
        return left.isEmpty() ? own : left.get(0).handled;
    }
}
