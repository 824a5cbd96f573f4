package dev.tandem.ordering.redelivery;

import dev.tandem.ordering.lanes.RedeliveryNotes;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.Delivery;
import dev.tandem.task.Position;
import dev.tandem.task.store.SettledMark;
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
 * Tells which earlier deliveries the redelivered messages of one channel are. Every channel is preceded by an acquire, whose
 * answer names all that its messages may have been before. Each position is matched once, the most certain ones first.
 */
public final class RedeliveryMatcher {

    /**
     * The earlier delivery of a redelivered message.
     *
     * @param adoptFirst whether the store has more to say of it: it is claimed by another executor, or settled
     */
    public record Match(Position position, boolean adoptFirst) {}

    /** By identity, the most certain first. */
    private final Map<String, ArrayDeque<Match>> candidates = new HashMap<>();
    /** All positions that were ever candidates on this channel. */
    private final Set<Position> known = new HashSet<>();
    /** How often an identity is on a page: it was settled, and its ack may not have arrived. */
    private final Map<String, Integer> onPages = new HashMap<>();
    /** Positions that the store can forget if they are not redelivered. */
    private final Set<Position> leftovers = new HashSet<>();
    /** Positions that blocked keys wait for, with their keys. */
    private final Map<Position, String> awaited = new LinkedHashMap<>();

    private boolean caughtUp;

    // ---- what the acquire knows ----

    /** Begins a new channel. {@code own}: positions of runs and outcomes of this process whose channel ended. */
    public void begin(Collection<Position> own, StoreAnswer.Acquired acquired) {
        clear();
        own.forEach(position -> add(position, true));
        for (StoreAnswer.OtherClaim claim : acquired.otherClaims()) {
            if (!claim.inStore()) {
                add(claim.position(), true);
            }
        }
        for (Position position : acquired.history().awaitingRedelivery()) {
            add(position, true);
            leftovers.add(position);
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
        reacquired(acquired);
    }

    private void add(Position position, boolean adoptFirst) {
        if (!known.add(position)) {
            return;
        }
        candidates
                .computeIfAbsent(Identities.of(position), identity -> new ArrayDeque<>())
                .addLast(new Match(position, adoptFirst));
    }

    /**
     * Notes that the store forgot a hand-over, or that the message came: it may be redelivered once more. If it came on this
     * channel already, what becomes of it decides when the store may forget the position.
     */
    public void mayBeRedelivered(Position position) {
        if (!caughtUp) {
            add(position, true);
            if (isCandidate(position)) {
                leftovers.add(position);
            }
        }
    }

    private boolean isCandidate(Position position) {
        return candidates.getOrDefault(Identities.of(position), new ArrayDeque<>()).stream()
                .anyMatch(match -> match.position().equals(position));
    }

    /** Takes the pages of an acquire with the same channel. All else that the channel can bring is known already. */
    public void reacquired(StoreAnswer.Acquired acquired) {
        onPages.clear();
        for (StoreAnswer.IdentityPage page : acquired.history().pages()) {
            Identities.read(page, identity -> onPages.merge(identity, 1, Integer::sum));
        }
    }

    // ---- what is delivered ----

    /** Returns the earlier delivery of a message. Null if none is known that is certain to be redelivered. */
    public @Nullable Match match(Delivery delivery) {
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

    /** Whether the message was settled on an earlier channel, by its identity. Each settled message is found once. */
    public boolean takeFromPages(TaskEntry entry) {
        RedeliveryNotes notes = entry.notes();
        boolean mayBeOnPage = notes.mark() instanceof SettledMark.OnPage
                || notes.isRedelivered() && !notes.isMatched() && !notes.isResolved();
        if (!mayBeOnPage || !Identities.isNamed(entry.position())) {
            return false;
        }
        String identity = Identities.onPage(Identities.of(entry.position()));
        Integer times = onPages.get(identity);
        if (times == null) {
            return false;
        }
        if (times > 1) {
            onPages.put(identity, times - 1);
        } else {
            onPages.remove(identity);
        }
        return true;
    }

    // ---- what is not delivered ----

    /** To be called when all that earlier channels left unacked was delivered. */
    public void caughtUp() {
        caughtUp = true;
    }

    public boolean isCaughtUp() {
        return caughtUp;
    }

    /** Lets a blocked key wait for this position to be redelivered. */
    public void await(Position position, String key) {
        awaited.put(position, key);
    }

    public boolean isAwaiting() {
        return !caughtUp && !awaited.isEmpty();
    }

    /** Takes the awaited positions, with their keys, once it is known that they came or will not come any more. */
    public Map<Position, String> takeAwaited() {
        if (!caughtUp || awaited.isEmpty()) {
            return Map.of();
        }
        Map<Position, String> over = new LinkedHashMap<>(awaited);
        awaited.clear();
        return over;
    }

    /** Takes the positions that no key waits for and that will not be redelivered any more. */
    public List<Position> takeLeftovers() {
        if (!caughtUp || leftovers.isEmpty()) {
            return List.of();
        }
        List<Position> taken = new ArrayList<>(leftovers);
        leftovers.clear();
        return taken;
    }

    public void clearAwaited() {
        awaited.clear();
    }

    public void clear() {
        candidates.clear();
        known.clear();
        onPages.clear();
        leftovers.clear();
        awaited.clear();
        caughtUp = false;
    }
}
