package dev.tandem.ordering;

import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Task;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One published task of a history. */
final class SimTask {

    final int id;
    final Partition partition;
    final @Nullable String key;
    final long offset;
    /** When it is due, in epoch milliseconds; 0: at once. */
    final long notBefore;

    final boolean unreadable;

    /** The tenant that a header names; null if none does. */
    @Nullable
    String tenant;

    /** What a log's oracle saw of it last. */
    @Nullable
    SeenTask lastSeen;

    /** A success of it was recorded at some time, whether the store still knows it or not. */
    boolean succeeded;
    /** Its topic was deleted before it ended, or the log lost it. */
    boolean recordGone;

    SimTask(int id, Partition partition, @Nullable String key, long offset, long notBefore, boolean unreadable) {
        this.id = id;
        this.partition = partition;
        this.key = key;
        this.offset = offset;
        this.notBefore = notBefore;
        this.unreadable = unreadable;
    }

    Task task() {
        byte[] payload = {(byte) (id >> 8), (byte) id};
        Task task = Task.of(partition.queue(), unreadable ? null : key, payload).withNotBefore(notBefore);
        return tenant == null ? task : task.withHeaders(Map.of(SimTenants.HEADER, tenant));
    }

    Delivery delivery(long sequence, @Nullable String identity, boolean redelivered) {
        return new Delivery(sequence, task(), unreadable ? "can't be read" : null, identity, redelivered);
    }

    static int idOf(Task task) {
        byte[] payload = task.payload();
        return (payload[0] & 0xFF) << 8 | payload[1] & 0xFF;
    }

    @Override
    public String toString() {
        return "#" + id + (key == null ? "" : key);
    }
}
