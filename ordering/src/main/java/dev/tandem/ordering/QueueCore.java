package dev.tandem.ordering;

import dev.tandem.task.Delivery;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.Collection;

/**
 * The order, custody and commits of one queue in one process, decided purely: events in, commands out; no I/O, no
 * clock, no threads. One thread calls it.
 *
 * <p>A turn is: {@link #clock}, any number of events, {@link #flush}.
 */
public final class QueueCore {

    /** @param executor unique per process start */
    public QueueCore(Source.Kind kind, QueuePolicy policy, CoreSettings settings, String executor) {}

    /** Begins a turn. @param monotonicMillis elapsed time @param wallMillis epoch time, for what is not due yet */
    public void clock(long monotonicMillis, long wallMillis) {}

    /** The broker assigned it. @param writer random, the same for this partition until the process ends */
    public void assigned(Partition partition, Source.Facts facts, String writer) {}

    public void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence) {}

    public void committed(Partition partition, long upTo) {}

    public void commitFailed(Partition partition) {}

    public void confirmed(Partition partition, Source.Facts facts) {}

    /** To be given up: nothing starts any more. {@link Commands#left} follows when all is flushed and released. */
    public void revoked(Partition partition) {}

    /** Given to others already, or {@link #revoked} took too long. {@link Commands#left} follows at once. */
    public void lost(Partition partition) {}

    public void answered(StoreRequest request, StoreAnswer answer) {}

    public void storeDown(Partition partition) {}

    public void storeUp(Partition partition) {}

    public void woken(Partition partition) {}

    public void finished(Run run, Outcome outcome) {}

    /** No new starts while true; running ones go on. */
    public void pauseStarts(boolean paused) {}

    /** Emits all that is to be done now. */
    public void flush(Commands out) {}

    /** The monotonic time at which a turn is due without any event; {@link Long#MAX_VALUE} if none. */
    public long nextTurn() {
        return Long.MAX_VALUE;
    }

    /** Handlers running now. */
    public int running() {
        return 0;
    }

    /** Whether nothing runs and no late outcome waits: the process may exit. */
    public boolean idle() {
        return true;
    }
}
