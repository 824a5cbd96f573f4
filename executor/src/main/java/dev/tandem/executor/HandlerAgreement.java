package dev.tandem.executor;

import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.HandlerPeer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Compares the handlers of this executor with those of the others of its queue, and decides whether this executor is refused.
 * Each executor decides alone from what all announce, and all come to the same decision, so no leader is needed.
 *
 * <p>The accepted handlers are those of one executor. It takes its share, and no other one that does has its handlers
 * together with more. Of several such executors, those count that lack nothing of the one that started first; of these,
 * those that lack nothing of the one that started next, and so on. An executor that lacks none of the accepted handlers is
 * never refused, so at least one goes on. All others are refused once they have lacked some for the grace.
 *
 * <p>Does no I/O and reads no clock. One thread calls it.
 */
final class HandlerAgreement {

    private static final long NEVER = Long.MAX_VALUE;

    private final String self;
    private final HandledTypes own;
    private final UnknownTypes rule;
    /** Since when this executor lacks accepted handlers. */
    private long behindSince = NEVER;

    private boolean refused;

    HandlerAgreement(String self, HandledTypes own, UnknownTypes rule) {
        this.self = self;
        this.own = own;
        this.rule = rule;
    }

    /**
     * How this executor compares with the others.
     *
     * @param lacked the types that others have and this one lacks, each with an executor that has it
     * @param accepted what this executor lacks of the accepted handlers; empty if it may stay
     * @param refusedInMillis the time until this executor is refused; 0 if it is, {@link Long#MAX_VALUE} if it will not be
     */
    record Verdict(SortedMap<String, String> lacked, Set<String> accepted, long refusedInMillis) {

        boolean refused() {
            return refusedInMillis == 0;
        }

        /** Returns whether a task of this type, for which there is no handler here, goes to another executor soon. */
        boolean isLeftToOthers(String type) {
            return refusedInMillis != NEVER && (accepted.contains(type) || accepted.contains(HandledTypes.ANY));
        }
    }

    /**
     * Decides anew. To be called about every second.
     *
     * @param nowMillis elapsed time, never less than before
     * @param peers the live executors that announce their handlers; this one may be missing
     */
    Verdict check(long nowMillis, Collection<HandlerPeer> peers) {
        List<HandlerPeer> all = new ArrayList<>();
        SortedMap<String, String> lacked = new TreeMap<>();
        long startedAt = Long.MAX_VALUE;
        for (HandlerPeer peer : peers) {
            if (peer.executor().equals(self)) {
                startedAt = peer.startedAt();
            } else {
                all.add(peer);
                own.lackedOf(peer.handled()).forEach(type -> lacked.putIfAbsent(type, peer.executor()));
            }
        }
        // The store hears a little later whether this executor takes its share, so its own word counts.
        all.add(new HandlerPeer(self, startedAt, !refused, own));
        Set<String> missing = own.lackedOf(accepted(all));
        if (missing.isEmpty()) {
            behindSince = NEVER;
        } else if (behindSince == NEVER) {
            behindSince = nowMillis;
        }
        long refusedIn = behindSince == NEVER || !rule.refuses()
                ? NEVER
                : Math.max(0, behindSince + rule.grace().toMillis() - nowMillis);
        refused = refusedIn == 0;
        return new Verdict(lacked, missing, refusedIn);
    }

    /** Returns the handlers that all should have. The list must not be empty. */
    private static HandledTypes accepted(List<HandlerPeer> all) {
        List<HandlerPeer> sharing = all.stream().filter(HandlerPeer::sharing).toList();
        List<HandlerPeer> voters = sharing.isEmpty() ? all : sharing;
        List<HandlerPeer> left = voters.stream()
                .filter(each -> voters.stream().noneMatch(other -> exceeds(other, each)))
                .toList();
        List<HandlerPeer> byAge = voters.stream()
                .sorted(Comparator.comparingLong(HandlerPeer::startedAt).thenComparing(HandlerPeer::executor))
                .toList();
        for (HandlerPeer elder : byAge) {
            List<HandlerPeer> covering = left.stream()
                    .filter(each -> each.handled().covers(elder.handled()))
                    .toList();
            left = covering.isEmpty() ? left : covering;
        }
        // All that are left cover one another.
        return left.get(0).handled();
    }

    private static boolean exceeds(HandlerPeer one, HandlerPeer other) {
        return one.handled().covers(other.handled()) && !other.handled().covers(one.handled());
    }
}
