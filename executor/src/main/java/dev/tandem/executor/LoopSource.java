package dev.tandem.executor;

import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * A queue's source, which the loop closes while it still waits for running handlers. Used by the loop's thread only.
 */
final class LoopSource {

    private final Source source;
    private boolean closed;
    private boolean resting;
    private boolean refused;

    LoopSource(Source source) {
        this.source = source;
    }

    boolean isClosed() {
        return closed;
    }

    /** Calls the source unless it is closed. */
    void ifOpen(Consumer<Source> call) {
        if (!closed) {
            call.accept(source);
        }
    }

    void poll(long maxMillis, Source.Events events) {
        source.poll(maxMillis, events);
    }

    /** Says whether the source should have no partitions for now, because the store cannot be reached. */
    void rest(boolean rest) {
        resting = rest;
        ifOpen(open -> open.rest(resting || refused));
    }

    /** Says whether this process should have no partitions of the queue, because it lacks handlers. */
    void refuse(boolean refuse) {
        refused = refuse;
        rest(resting);
    }

    boolean isRefused() {
        return refused;
    }

    /** Makes the next poll return at once. */
    void wakeup() {
        source.wakeup();
    }

    long retentionMillis() {
        return closed ? Long.MAX_VALUE : source.retentionMillis();
    }

    /** Returns the partitions that this process may lease: none while it is refused. */
    Collection<Partition> leasable() {
        return refused ? List.of() : source.leasable();
    }

    Collection<Partition> partitions() {
        return source.partitions();
    }

    Source.Facts leaseFacts() {
        return source.leaseFacts();
    }

    /** Closes the source. Safe when called again. */
    void close() {
        if (!closed) {
            closed = true;
            source.close();
        }
    }
}
