package dev.tandem.ordering.redelivery;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Index of everything that the partitions of an unordered queue know of some identities. Each entry is used once, except for named
 * messages: however often such a message is published or delivered, it is one message.
 *
 * @param <P> a partition
 */
final class RedeliveryIndex<P> {

    /** A position that a redelivered message may have had. */
    record Known<P>(P where, Position position) {}

    private final Set<String> wanted;
    private final Set<String> wantedOnPages = new HashSet<>();
    private final Set<Position> taken;
    private final Map<String, ArrayDeque<Known<P>>> certain = new HashMap<>();
    private final Map<String, ArrayDeque<Known<P>>> claimed = new HashMap<>();
    private final Map<String, ArrayDeque<P>> settled = new HashMap<>();
    private boolean complete = true;

    /**
     * @param wanted the identities that are looked for
     * @param taken positions that are matched already
     */
    RedeliveryIndex(Set<String> wanted, Set<Position> taken) {
        this.wanted = wanted;
        this.taken = taken;
        for (String identity : wanted) {
            if (Identities.isNamed(identity)) {
                wantedOnPages.add(Identities.onPage(identity));
            }
        }
    }

    void add(P where, StoreAnswer.KnownPositions known) {
        complete &= known.complete();
        for (StoreAnswer.LiveClaim claim : known.claims()) {
            add(claim.ofFormerOwner() ? certain : claimed, where, claim.position());
        }
        known.history().lapsed().forEach(lapsed -> add(certain, where, lapsed.position()));
        known.history().awaitingRedelivery().forEach(position -> add(certain, where, position));
        for (StoreAnswer.IdentityPage page : known.history().pages()) {
            Identities.read(page, identity -> {
                if (wantedOnPages.contains(identity)) {
                    settled.computeIfAbsent(identity, i -> new ArrayDeque<>()).addLast(where);
                }
            });
        }
    }

    private void add(Map<String, ArrayDeque<Known<P>>> to, P where, Position position) {
        String identity = Identities.of(position);
        boolean free = Identities.isNamed(position) || !taken.contains(position);
        if (wanted.contains(identity) && free) {
            to.computeIfAbsent(identity, i -> new ArrayDeque<>()).addLast(new Known<>(where, position));
        }
    }

    /** Whether no running task can be missing. */
    boolean isComplete() {
        return complete;
    }

    /** Returns a position whose message is certain to be redelivered, null if there is none (any more). */
    @Nullable
    Known<P> certain(String identity) {
        return take(identity, certain.get(identity));
    }

    /** Returns a position that its partition's owner has claimed, null if there is none (any more). */
    @Nullable
    Known<P> claimed(String identity) {
        return take(identity, claimed.get(identity));
    }

    /** Returns a partition in which the named message was settled, null if there is none. */
    @Nullable
    P settled(String identity) {
        return Identities.isNamed(identity) ? take(identity, settled.get(Identities.onPage(identity))) : null;
    }

    private static <T> @Nullable T take(String identity, @Nullable ArrayDeque<T> known) {
        return known == null ? null : Identities.isNamed(identity) ? known.peekFirst() : known.pollFirst();
    }
}
