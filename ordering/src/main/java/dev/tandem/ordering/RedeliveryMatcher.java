package dev.tandem.ordering;

import dev.tandem.task.Delivery;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a queue's redeliveries on one channel can be. Every channel is preceded by an acquire, whose answer names all that
 * its messages may have been before: each position is matched once, what is certain to come again first.
 *
 * <p>{@code docs/adr/0005-rabbitmq-identity.md} says what is certain and what is not.
 */
final class RedeliveryMatcher {

    /**
     * One that came again.
     *
     * @param adopt the store has more to say of it: it is claimed by another, or settled
     */
    record Match(Position position, boolean adopt) {}

    /** By identity, the most certain first. */
    private final Map<String, ArrayDeque<Match>> candidates = new HashMap<>();
    /** All that were ever candidates on this channel. */
    private final Set<Position> known = new HashSet<>();
    /** How often an identity is on a page: settled, and maybe not acked. */
    private final Map<String, Integer> remembered = new HashMap<>();
    /** What to forget in the store if it does not come. */
    private final Set<Position> leftovers = new HashSet<>();
    /** Positions that blocked keys wait for, with their keys. */
    private final Map<Position, String> awaited = new LinkedHashMap<>();

    private boolean caughtUp;

    // ---- identities ----

    /** What a first delivery's position is made of: claims, attempts and envelopes carry the identity by it. */
    static Position position(@Nullable String identity, String writer, long arrival) {
        return new Position((identity == null ? "" : identity) + ":" + writer + "." + Long.toString(arrival, 36));
    }

    static String identityOf(Position position) {
        int colon = position.text().indexOf(':');
        return colon < 0 ? "" : position.text().substring(0, colon);
    }

    /** Whether the publisher named the message: all with its identity are one, published twice. */
    static boolean isNamed(Position position) {
        return position.text().startsWith("m");
    }

    // ---- what the acquire knows ----

    /** A new channel follows. @param own positions of runs and outcomes of this process whose channel ended */
    void begin(Collection<Position> own, StoreAnswer.Acquired acquired) {
        clear();
        own.forEach(position -> add(position, true));
        for (StoreAnswer.OtherClaim otherClaims : acquired.otherClaims()) {
            if (!otherClaims.inStore()) {
                add(otherClaims.position(), true);
            }
        }
        for (Position awaitingRedelivery : acquired.history().awaitingRedelivery()) {
            add(awaitingRedelivery, true);
            leftovers.add(awaitingRedelivery);
        }
        for (StoreAnswer.LapsedClaim lapsed : acquired.history().lapsed()) {
            add(lapsed.position(), false);
            leftovers.add(lapsed.position());
        }
        for (StoreAnswer.BlockedKey blocked : acquired.blocked()) {
            if (blocked.reason() == StoreAnswer.BlockReason.REDELIVERY && !leftovers.contains(blocked.head())) {
                add(blocked.head(), false);
            }
        }
        again(acquired);
    }

    private void add(Position position, boolean adopt) {
        if (!known.add(position)) {
            return;
        }
        candidates
                .computeIfAbsent(identityOf(position), identity -> new ArrayDeque<>())
                .addLast(new Match(position, adopt));
    }

    /** The store forgot that it took this over, or that its message came: it comes again unless all such have come. */
    void mayCome(Position position) {
        if (!caughtUp) {
            add(position, true);
            leftovers.add(position);
        }
    }

    /** Acquired anew with the same channel: what it can bring is known, but for what the store may have forgotten. */
    void again(StoreAnswer.Acquired acquired) {
        remembered.clear();
        for (StoreAnswer.IdentityPage page : acquired.history().pages()) {
            byte[] bytes = page.identities();
            int length = StoreAnswer.IdentityPage.IDENTITY_BYTES;
            for (int at = 0; at + length <= bytes.length; at += length) {
                remembered.merge(
                        new String(bytes, at, length, java.nio.charset.StandardCharsets.US_ASCII), 1, Integer::sum);
            }
        }
    }

    // ---- what comes ----

    /** The position that this delivery had before; null if none is known that is certain to come again. */
    @Nullable
    Match match(Delivery delivery) {
        if (!delivery.redelivered() || delivery.identity() == null) {
            return null;
        }
        ArrayDeque<Match> matches = candidates.get(delivery.identity());
        Match match = matches == null ? null : matches.pollFirst();
        if (match != null) {
            leftovers.remove(match.position());
        }
        return match;
    }

    /** Whether it was settled on an earlier channel, as far as its identity tells. Each settled one is found once. */
    boolean isRemembered(TaskEntry entry) {
        boolean maybe = entry.page >= 0 || entry.redelivered && !entry.matched && !entry.recalled;
        String identity = identityOf(entry.position);
        if (!maybe || !isNamed(entry.position) || identity.isEmpty()) {
            return false;
        }
        String known = identity.substring(1);
        Integer times = remembered.get(known);
        if (times == null) {
            return false;
        }
        if (times > 1) {
            remembered.put(known, times - 1);
        } else {
            remembered.remove(known);
        }
        return true;
    }

    // ---- what does not come ----

    /** All that earlier channels left was delivered. */
    void caughtUp() {
        caughtUp = true;
    }

    boolean isCaughtUp() {
        return caughtUp;
    }

    /** A blocked key waits for this position to be redelivered. */
    void await(Position position, String key) {
        awaited.put(position, key);
    }

    boolean isAwaiting() {
        return !caughtUp && !awaited.isEmpty();
    }

    /** Heads of blocked keys that came, or will not come any more, once each with its key. */
    Map<Position, String> takeAwaited() {
        if (!caughtUp || awaited.isEmpty()) {
            return Map.of();
        }
        Map<Position, String> over = new LinkedHashMap<>(awaited);
        awaited.clear();
        return over;
    }

    /** Positions without a key to wait for that will not come any more, once each. */
    List<Position> takeLeftovers() {
        if (!caughtUp || leftovers.isEmpty()) {
            return List.of();
        }
        List<Position> gone = new ArrayList<>(leftovers);
        leftovers.clear();
        return gone;
    }

    void clearAwaited() {
        awaited.clear();
    }

    void clear() {
        candidates.clear();
        known.clear();
        remembered.clear();
        leftovers.clear();
        awaited.clear();
        caughtUp = false;
    }
}
