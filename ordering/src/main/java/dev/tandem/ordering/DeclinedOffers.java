package dev.tandem.ordering;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Gives offers back for whose keys there is no room. The longer a delayed task is overdue, the longer it waits for its next
 * offer. A task that an operator retries waits the longer, the longer offers of its key have been given back.
 */
final class DeclinedOffers {

    /** How many full lanes ask for room again at once, each with one task. */
    private static final int MAX_FULL_LANES_TRIED = 64;

    /** After how many leases a declined task is offered again at the latest. */
    private static final int MAX_LEASES = 30;

    /**
     * Of how many keys memory knows how long their offers have been given back. While there are as many, the retried tasks of
     * a further key wait for the longest time.
     */
    static final int MAX_KEYS = 10_000;

    /** Since when, and until when, offers of a key were given back. */
    private record Declining(long since, long last) {}

    private final PartitionState state;
    /** By key, the one that was noted last at the end. */
    private final Map<String, Declining> keys = new LinkedHashMap<>();

    DeclinedOffers(PartitionState state) {
        this.state = state;
    }

    void forget() {
        keys.clear();
    }

    /** Lets full lanes find out now and then whether they have room, after all that was offered of them is given back. */
    void retryFullLanes() {
        if (state.timers.takeFullRetry()) {
            state.lanes.declineOffers();
            state.lanes.retryFull(MAX_FULL_LANES_TRIED);
        }
    }

    void send(Commands out) {
        for (List<TaskEntry> some = state.lanes.takeDeclined(PartitionState.MAX_OFFERED);
                !some.isEmpty();
                some = state.lanes.takeDeclined(PartitionState.MAX_OFFERED)) {
            List<StoreRequest.Declined> declined = new ArrayList<>(some.size());
            for (TaskEntry entry : some) {
                String key = Objects.requireNonNull(entry.key());
                declined.add(new StoreRequest.Declined(entry.position(), key, delay(entry, key)));
            }
            state.send(out, new StoreRequest.DeclineOffers(state.requests.next(), declined), 0);
        }
    }

    private long delay(TaskEntry entry, String key) {
        long notBefore = entry.requireTask().notBefore();
        long waited = notBefore == 0 ? declinedFor(key) : state.context.wall() - notBefore;
        return Math.max(state.settings.leaseMillis(), Math.min(waited, longest()));
    }

    private long longest() {
        return MAX_LEASES * state.settings.leaseMillis();
    }

    /** Notes that an offer of the key is given back, and returns for how long that has been so. */
    private long declinedFor(String key) {
        long now = state.now();
        forgetBefore(now - 2 * longest());
        Declining before = keys.remove(key);
        if (before == null && keys.size() >= MAX_KEYS) {
            return longest();
        }
        long since = before == null ? now : before.since;
        keys.put(key, new Declining(since, now));
        return now - since;
    }

    /** Forgets keys of which nothing was given back for so long that their tasks must have found room since. */
    private void forgetBefore(long time) {
        Iterator<Declining> oldest = keys.values().iterator();
        while (oldest.hasNext() && oldest.next().last < time) {
            oldest.remove();
        }
    }
}
