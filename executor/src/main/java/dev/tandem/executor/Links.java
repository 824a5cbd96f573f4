package dev.tandem.executor;

import dev.tandem.task.Partition;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The ways to the store of one queue's partitions. A link outlives its partition's assignment while late outcomes may
 * need it. Used by the loop's thread only; what the store says goes through the inbox.
 */
final class Links {

    /** Told on the loop's thread. */
    interface Listener {
        void answered(StoreRequest request, StoreAnswer answer);

        void down(Partition partition, String why);

        void up(Partition partition);

        void woken(Partition partition);
    }

    private final Store store;
    private final Inbox inbox;
    private final Listener listener;
    private final Map<Partition, Entry> entries = new HashMap<>();

    Links(Store store, Inbox inbox, Listener listener) {
        this.store = store;
        this.inbox = inbox;
        this.listener = listener;
    }

    /** Opens the way if there is none. @return whether the store was reached over it already */
    boolean open(Partition partition) {
        Entry entry = entries.get(partition);
        if (entry == null) {
            entry = new Entry(partition);
            entries.put(partition, entry);
            entry.link = store.link(partition, entry);
        }
        return entry.up;
    }

    /** Sends on the way that {@link #open} opened. */
    void send(StoreRequest request) {
        Entry entry = entries.get(request.partition());
        if (entry == null || entry.link == null) {
            throw new IllegalStateException("There is no link for " + request);
        }
        entry.link.send(request);
    }

    int count() {
        return entries.size();
    }

    /** Partitions among these whose store can't be reached. */
    int down(Set<Partition> partitions) {
        int count = 0;
        for (Partition partition : partitions) {
            Entry entry = entries.get(partition);
            count += entry != null && entry.up ? 0 : 1;
        }
        return count;
    }

    /** The last reason why a link was down; null if all held ones are up. */
    @Nullable
    String trouble(Set<Partition> partitions) {
        for (Partition partition : partitions) {
            Entry entry = entries.get(partition);
            if (entry != null && !entry.up) {
                return entry.why;
            }
        }
        return null;
    }

    /** Closes all but these. @return those that were closed */
    List<Partition> retain(Set<Partition> partitions) {
        List<Partition> closed = new ArrayList<>();
        for (Iterator<Entry> i = entries.values().iterator(); i.hasNext(); ) {
            Entry entry = i.next();
            if (!partitions.contains(entry.partition)) {
                i.remove();
                entry.close();
                closed.add(entry.partition);
            }
        }
        return closed;
    }

    private final class Entry implements Store.Listener {
        private final Partition partition;
        private Store.@Nullable Link link;
        private boolean up;
        private String why = "not reached yet";
        private boolean closed;

        Entry(Partition partition) {
            this.partition = partition;
        }

        void close() {
            closed = true;
            if (link != null) {
                link.close();
            }
        }

        @Override
        public void answered(StoreRequest request, StoreAnswer answer) {
            post(() -> listener.answered(request, answer));
        }

        @Override
        public void down(String reason) {
            post(() -> {
                up = false;
                why = reason;
                listener.down(partition, reason);
            });
        }

        @Override
        public void up() {
            post(() -> {
                up = true;
                listener.up(partition);
            });
        }

        @Override
        public void woken() {
            post(() -> listener.woken(partition));
        }

        /** Drops what a closed link still says. */
        private void post(Runnable event) {
            inbox.post(() -> {
                if (!closed) {
                    event.run();
                }
            });
        }
    }
}
