package dev.tandem.executor;

import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.util.Collection;
import java.util.function.Consumer;

/**
 * A queue's source, which the loop closes while it still waits for running handlers. Used by the loop's thread only.
 */
final class LoopSource {

    private final Source source;
    private boolean closed;

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

    /** Says whether the source should have no partitions for now. */
    void rest(boolean resting) {
        ifOpen(open -> open.rest(resting));
    }

    /** Makes the next poll return at once. */
    void wakeup() {
        source.wakeup();
    }

    long retentionMillis() {
        return closed ? Long.MAX_VALUE : source.retentionMillis();
    }

    Collection<Partition> leasable() {
        return source.leasable();
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
