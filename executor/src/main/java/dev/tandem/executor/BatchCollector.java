package dev.tandem.executor;

import dev.tandem.executor.RunBatch.Waiting;
import dev.tandem.ordering.Run;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Collects the runs of batch handlers until a batch is full, or the first of its runs has waited long enough. Pure: the time is
 * an argument. Used by one thread.
 */
final class BatchCollector {

    static final long NEVER = Long.MAX_VALUE;

    /** The runs of one handler that wait. */
    private static final class Open {
        private final List<Waiting> runs = new ArrayList<>();
        private long due = NEVER;
    }

    private final Map<BatchedHandler, Open> open = new IdentityHashMap<>();
    private final List<RunBatch> ready = new ArrayList<>();
    private int waiting;

    /**
     * Adds a run.
     *
     * @param timeoutMillis the longest run of its task, half of which it may wait; 0 if there is no limit
     */
    void add(BatchedHandler handler, Run run, long timeoutMillis, long now) {
        Open batch = open.computeIfAbsent(handler, none -> new Open());
        long maxWait = handler.options().maxWait().toMillis();
        batch.runs.add(new Waiting(run, now));
        batch.due = Math.min(batch.due, now + (timeoutMillis > 0 ? Math.min(maxWait, timeoutMillis / 2) : maxWait));
        waiting++;
        if (batch.runs.size() >= handler.options().maxSize()) {
            take(handler, batch);
            open.remove(handler);
        }
    }

    private void take(BatchedHandler handler, Open batch) {
        ready.add(new RunBatch(handler, List.copyOf(batch.runs)));
        waiting -= batch.runs.size();
    }

    /** Returns the batches that are full, or whose time has come. Those that are returned are forgotten. */
    List<RunBatch> takeDue(long now) {
        for (Iterator<Map.Entry<BatchedHandler, Open>> each = open.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<BatchedHandler, Open> batch = each.next();
            if (batch.getValue().due <= now) {
                take(batch.getKey(), batch.getValue());
                each.remove();
            }
        }
        List<RunBatch> due = List.copyOf(ready);
        ready.clear();
        return due;
    }

    /** Returns all batches, however short they are. */
    List<RunBatch> takeAll() {
        return takeDue(NEVER);
    }

    /** Returns when the next batch is due if no run is added; {@link #NEVER} if none waits. */
    long nextDue() {
        long next = ready.isEmpty() ? NEVER : Long.MIN_VALUE;
        for (Open batch : open.values()) {
            next = Math.min(next, batch.due);
        }
        return next;
    }

    /** Returns the number of runs that wait for others. */
    int waiting() {
        return waiting;
    }
}
