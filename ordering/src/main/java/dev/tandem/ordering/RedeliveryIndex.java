package dev.tandem.ordering;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the partitions of an unordered queue know of some identities. Each piece is used once, but those of messages with
 * an id: however often such a message is published or delivered, it is one.
 *
 * @param <P> a partition
 */
final class RedeliveryIndex<P> {

    /** A position that a redelivery may be. */
    record Known<P>(P where, Position position) {}

    private final Set<String> wanted;
    private final Set<String> wantedOnPages = new HashSet<>();
    private final Set<Position> taken;
    private boolean complete = true;
    private final boolean once;
    private final boolean namelessByPage;
    private final Map<String, ArrayDeque<Known<P>>> certain = new HashMap<>();
    private final Map<String, ArrayDeque<Known<P>>> claimed = new HashMap<>();
    private final Map<String, ArrayDeque<P>> settled = new HashMap<>();

    /**
     * @param wanted the identities that are asked for
     * @param taken positions that are matched already
     */
    RedeliveryIndex(Set<String> wanted, Set<Position> taken, QueueContext shared) {
        this.wanted = wanted;
        this.taken = taken;
        this.once = shared.keeps(Rule.MATCH_ONCE);
        this.namelessByPage = !shared.keeps(Rule.NAMELESS_NOT_BY_PAGE);
        for (String identity : wanted) {
            if (identity.startsWith("m") || namelessByPage) {
                wantedOnPages.add(identity.substring(1));
            }
        }
    }

    void add(P where, StoreAnswer.KnownPositions recalled) {
        complete &= recalled.complete();
        for (StoreAnswer.LiveClaim claim : recalled.claims()) {
            note(claim.ofFormerOwner() ? certain : claimed, where, claim.position());
        }
        recalled.history().lapsed().forEach(lapsed -> note(certain, where, lapsed.position()));
        recalled.history().awaitingRedelivery().forEach(awaitingRedelivery -> note(certain, where, awaitingRedelivery));
        for (StoreAnswer.IdentityPage page : recalled.history().pages()) {
            byte[] bytes = page.identities();
            int length = StoreAnswer.IdentityPage.IDENTITY_BYTES;
            for (int at = 0; at + length <= bytes.length; at += length) {
                String identity = new String(bytes, at, length, StandardCharsets.US_ASCII);
                if (wantedOnPages.contains(identity)) {
                    settled.computeIfAbsent(identity, i -> new ArrayDeque<>()).addLast(where);
                }
            }
        }
    }

    private void note(Map<String, ArrayDeque<Known<P>>> known, P where, Position position) {
        String identity = RedeliveryMatcher.identityOf(position);
        boolean free = RedeliveryMatcher.isNamed(position) || !taken.contains(position);
        if (wanted.contains(identity) && free) {
            known.computeIfAbsent(identity, i -> new ArrayDeque<>()).addLast(new Known<>(where, position));
        }
    }

    /** Whether nothing that runs can be missing. */
    boolean isComplete() {
        return complete;
    }

    /** A position whose message is certain to come again; null if there is none (any more). */
    @Nullable
    Known<P> certain(String identity) {
        return take(identity, certain.get(identity));
    }

    /** A position that its partition's owner has claimed; null if there is none (any more). */
    @Nullable
    Known<P> claimed(String identity) {
        return take(identity, claimed.get(identity));
    }

    /** A partition in which it was settled; null if there is none (any more), or it has no message id. */
    @Nullable
    P settled(String identity) {
        return identity.startsWith("m") || namelessByPage ? take(identity, settled.get(identity.substring(1))) : null;
    }

    private <T> @Nullable T take(String identity, @Nullable ArrayDeque<T> known) {
        boolean takesOut = once && !identity.startsWith("m");
        return known == null ? null : takesOut ? known.pollFirst() : known.peekFirst();
    }
}
