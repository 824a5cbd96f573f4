package dev.tandem.executor;

import dev.tandem.task.Partition;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRoom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The store links of one queue's partitions. A link stays open after its partition has left, while late outcomes may
 * need it. Used by the loop's thread only; the store's events come through the inbox.
 */
final class StoreLinks {

    /** Says that the store is not silent. */
    static final long NOT_SILENT = Long.MAX_VALUE;

    /** Receives the store's events on the loop's thread. */
    interface Listener {
        void answered(StoreRequest request, StoreAnswer answer);

        void down(Partition partition, String reason);

        void up(Partition partition);

        void room(Partition partition, StoreRoom room);

        void woken(Partition partition);
    }

    private final Store store;
    private final LoopInbox inbox;
    private final ExecutorClock clock;
    private final Listener listener;
    private final Map<Partition, OpenLink> links = new HashMap<>();

    StoreLinks(Store store, LoopInbox inbox, ExecutorClock clock, Listener listener) {
        this.store = store;
        this.inbox = inbox;
        this.clock = clock;
        this.listener = listener;
    }

    /** Opens the partition's link if it is not open yet. @return whether the link is up already */
    boolean open(Partition partition) {
        OpenLink open = links.get(partition);
        if (open == null) {
            open = new OpenLink(partition);
            links.put(partition, open);
            open.link = store.link(partition, open);
        }
        return open.up;
    }

    /**
     * Sends a request over its partition's link.
     *
     * @throws IllegalStateException if {@link #open} was not called before
     */
    void send(StoreRequest request) {
        OpenLink open = links.get(request.partition());
        if (open == null || open.link == null) {
            throw new IllegalStateException("No store link is open for " + request);
        }
        open.sending();
        open.link.send(request);
    }

    /** Returns how much room the store has for more tasks of a partition whose link is open. */
    StoreRoom room(Partition partition) {
        OpenLink open = links.get(partition);
        return open == null ? StoreRoom.HALF : open.room;
    }

    /** Calls back on the loop's thread if a part of the store can be reached, although no link may be up. */
    void findReachablePart(Runnable reached) {
        store.findReachablePart(() -> inbox.post(reached));
    }

    /** Returns whether a link is up, whichever partition it is of. */
    boolean isAnyUp() {
        return links.values().stream().anyMatch(open -> open.up);
    }

    boolean areAllUp() {
        return links.values().stream().allMatch(open -> open.up);
    }

    /**
     * Returns since when the store of none of these partitions has answered, in the clock's milliseconds; {@link
     * #NOT_SILENT} if a link is up, or there are no partitions.
     */
    long silentSince(Set<Partition> partitions) {
        long latest = Long.MIN_VALUE;
        for (Partition partition : partitions) {
            OpenLink open = links.get(partition);
            if (open != null && open.up) {
                return NOT_SILENT;
            }
            latest = Math.max(latest, open == null ? clock.millis() : open.silentSince);
        }
        return latest == Long.MIN_VALUE ? NOT_SILENT : latest;
    }

    /** Returns the number of open links. */
    int count() {
        return links.size();
    }

    /** Returns how many of these partitions have no link that is up. */
    int countDown(Set<Partition> partitions) {
        int count = 0;
        for (Partition partition : partitions) {
            OpenLink open = links.get(partition);
            count += open != null && open.up ? 0 : 1;
        }
        return count;
    }

    /** Returns why one of these partitions' links is down; null if none is. */
    @Nullable
    String downReason(Set<Partition> partitions) {
        for (Partition partition : partitions) {
            OpenLink open = links.get(partition);
            if (open != null && !open.up) {
                return open.downReason;
            }
        }
        return null;
    }

    /** Returns why all links are down; null if one is up, or there are none. */
    @Nullable
    String downReason() {
        return isAnyUp() ? null : downReason(links.keySet());
    }

    /** Closes the links of all other partitions. @return the partitions whose links were closed */
    List<Partition> retain(Set<Partition> partitions) {
        List<Partition> closed = new ArrayList<>();
        for (Iterator<OpenLink> all = links.values().iterator(); all.hasNext(); ) {
            OpenLink open = all.next();
            if (!partitions.contains(open.partition)) {
                all.remove();
                open.close();
                closed.add(open.partition);
            }
        }
        return closed;
    }

    /** One link with its state as the loop knows it. The store calls the listener methods on its own threads. */
    private final class OpenLink implements Store.Listener {
        private final Partition partition;
        private Store.@Nullable Link link;
        private boolean up;
        private StoreRoom room = StoreRoom.HALF;
        /** The requests sent since the link went up, and how many of them are unanswered. */
        private long sent;

        private long unanswered;
        /** Since when the store owes a sign of life; {@link #NOT_SILENT} if it owes none. */
        private long silentSince = clock.millis();

        private String downReason = "not connected yet";
        private boolean closed;

        OpenLink(Partition partition) {
            this.partition = partition;
        }

        void close() {
            closed = true;
            if (link != null) {
                link.close();
            }
        }

        void sending() {
            sent++;
            unanswered++;
            if (silentSince == NOT_SILENT) {
                silentSince = clock.millis();
            }
        }

        @Override
        public void answered(StoreRequest request, StoreAnswer answer) {
            post(() -> {
                unanswered--;
                silentSince = unanswered > 0 ? clock.millis() : NOT_SILENT;
                listener.answered(request, answer);
            });
        }

        @Override
        public void down(String reason) {
            post(() -> {
                // A store that lets the link go up, but answers no request, stays silent.
                if (silentSince == NOT_SILENT || up && sent == 0) {
                    silentSince = clock.millis();
                }
                up = false;
                downReason = reason;
                listener.down(partition, reason);
            });
        }

        @Override
        public void up() {
            post(() -> {
                up = true;
                sent = 0;
                unanswered = 0;
                listener.up(partition);
            });
        }

        @Override
        public void room(StoreRoom now) {
            post(() -> {
                room = now;
                listener.room(partition, now);
            });
        }

        @Override
        public void woken() {
            post(() -> listener.woken(partition));
        }

        /** Posts an event to the loop. The loop ignores it if the link has been closed by then. */
        private void post(Runnable event) {
            inbox.post(() -> {
                if (!closed) {
                    event.run();
                }
            });
        }
    }
}
